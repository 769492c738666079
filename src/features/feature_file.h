#pragma once

#include "metrics/frechet.h"

#include <gass/measure.h>

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>

namespace gass {

/// Features [n, d] of a .npy or .safetensors file (its tensor "features", or its only one). Throws
/// model_invalid for another shape, and for numbers that are not finite. A single vector [d] is one row if
/// `vector_is_row`.
at::Tensor read_features(const std::filesystem::path& path, bool vector_is_row = false);

/// What a .safetensors file of ours says about its features, as far as it does; of other files nothing.
EncoderInfo describe_features(const std::filesystem::path& path);

/// Statistics as pytorch-fid and clean-fid keep them: an .npz file with "mu" and "sigma".
FeatureStatistics read_statistics(const std::filesystem::path& path);

/// Whether a file of that name holds features or statistics, not pictures.
bool is_feature_file(const std::filesystem::path& path);
bool is_statistics_file(const std::filesystem::path& path);

/// Writes features by the file's ending: .npy, .safetensors (with these words about them), or .npz, which
/// holds their statistics. Throws usage for another ending.
void write_features(const std::filesystem::path& path, const at::Tensor& features,
                    const std::map<std::string, std::string>& about);
/// Complains about an ending that `write_features` does not know.
void check_feature_path(const std::filesystem::path& path);

}  // namespace gass
