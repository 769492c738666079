#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

// What every metric asks of its input: features [n, d] of n images, in any floating type on any device.
// `name` says in an error whose features they are: "the generated images".

namespace gass {

/// Throws usage unless there is at least one row and one column, and model_invalid, naming the first such
/// row, if a number is not finite.
void check_features(const at::Tensor& features, std::string_view name);

/// Throws usage unless both have as many columns: else they come from different encoders.
void check_same_width(const at::Tensor& a, std::string_view a_name, const at::Tensor& b,
                      std::string_view b_name);

/// The checked features in fp64 on the CPU; may share memory with the given ones.
at::Tensor exact_features(const at::Tensor& features, std::string_view name);

/// The checked features as rows of length 1, in fp64 on the CPU. A row of zeros stays one.
at::Tensor unit_features(const at::Tensor& features, std::string_view name);

}  // namespace gass
