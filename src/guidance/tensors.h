#pragma once

#include <gass/record.h>

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace gass {

/// A tensor's values.
std::vector<double> numbers(const at::Tensor& tensor);
/// The same for a report.
Numbers finite_numbers(const at::Tensor& tensor);
/// Those of each row.
std::vector<Numbers> finite_rows(const at::Tensor& matrix);

/// How far latents [B, …] move, as a share of their own lengths. [B]
at::Tensor relative_lengths(const at::Tensor& moves, const at::Tensor& latents);

/// ∂value/∂x of one number; zero where it does not depend on x.
at::Tensor gradient_of(const at::Tensor& value, const at::Tensor& x);

/// What `map` makes of rows [B, …], so many at a time.
template <class Map>
at::Tensor in_chunks(const at::Tensor& rows, std::int64_t chunk, const Map& map) {
    std::vector<at::Tensor> results;
    for (const at::Tensor& part : rows.split(chunk)) results.push_back(map(part));
    return results.size() == 1 ? results.front() : at::cat(results);
}

}  // namespace gass
