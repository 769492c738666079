#include "features/feature_file.h"

#include "core/fail.h"
#include "core/quote.h"
#include "io/file.h"
#include "io/npy.h"
#include "io/npz.h"
#include "io/safetensors.h"
#include "io/weights.h"
#include "metrics/features.h"
#include "tensor/tensor_file.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

namespace gass {
namespace {

namespace fs = std::filesystem;

/// Of the images that statistics are of; other programs neither write nor mind it.
constexpr const char* kCount = "count";

/// Whether a file can be one of features, by its first bytes.
bool is_what_its_name_says(const fs::path& path) {
    try {
        if (path.extension() == ".safetensors") {
            const SafetensorsFile readable(path);
            return true;
        }
        const MappedFile file(path);
        const std::string_view start(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
        return start.starts_with(is_statistics_file(path) ? "PK\x03\x04" : "\x93NUMPY");
    } catch (const Error&) {
        return false;
    }
}

at::Tensor tensor_of(const NumpyArray& array, const std::string& where) {
    const at::ScalarType type = scalar_type(array.dtype);
    if (!at::isFloatingType(type))
        fail(ErrorCode::model_invalid, where, "holds {} values; features are F16, F32 or F64",
             to_string(array.dtype));
    at::Tensor tensor = at::empty(array.shape, type);
    if (!array.bytes.empty()) std::memcpy(tensor.data_ptr(), array.bytes.data(), array.bytes.size());
    return tensor;
}

at::Tensor safetensors_features(const fs::path& path) {
    const auto file = std::make_shared<const SafetensorsFile>(path);
    const TensorInfo* tensor = file->find("features");
    if (tensor == nullptr && file->tensors().size() == 1) tensor = &file->tensors().front();
    if (tensor == nullptr)
        fail(ErrorCode::model_invalid, path.string(), "has no tensor \"features\" among its {}",
             file->tensors().size());
    return load_tensor({file, tensor}).clone();
}

NumpyArray array_of(const at::Tensor& tensor) {
    const at::Tensor plain = tensor.cpu().contiguous();
    const bool is_double = plain.scalar_type() == at::kDouble;
    NumpyArray array{is_double ? Dtype::F64 : Dtype::F32, plain.sizes().vec(), {}};
    array.bytes.resize(plain.nbytes());
    if (!array.bytes.empty()) std::memcpy(array.bytes.data(), plain.data_ptr(), array.bytes.size());
    return array;
}

const NumpyArray& member(const std::map<std::string, NumpyArray>& arrays, const char* name,
                         const std::string& where) {
    const auto found = arrays.find(name);
    if (found == arrays.end())
        fail(ErrorCode::model_invalid, where,
             "has no array {}; statistics are \"mu\" and \"sigma\", as pytorch-fid writes them",
             in_quotes(name));
    return found->second;
}

}  // namespace

bool is_feature_file(const fs::path& path) {
    return path.extension() == ".npy" || path.extension() == ".safetensors";
}

bool is_statistics_file(const fs::path& path) {
    return path.extension() == ".npz";
}

at::Tensor read_features(const fs::path& path, bool vector_is_row) {
    const std::string where = path.string();
    if (!is_feature_file(path))
        fail(ErrorCode::usage, where, "features are read from .npy and .safetensors files");
    at::Tensor features =
        path.extension() == ".npy" ? tensor_of(read_npy(path), where) : safetensors_features(path);
    if (!features.is_floating_point())
        fail(ErrorCode::model_invalid, where, "features must be floating-point numbers");
    if (vector_is_row && features.dim() == 1) features = features.unsqueeze(0);
    if (features.dim() != 2 || features.size(0) == 0 || features.size(1) == 0)
        fail(ErrorCode::model_invalid, where,
             "expected a row of features for each image, [n, d]; got the shape [{}]",
             fmt::join(features.sizes(), ", "));
    check_features(features, where);
    return features;
}

EncoderInfo describe_features(const fs::path& path) {
    if (path.extension() != ".safetensors") return {};
    const SafetensorsFile file(path);
    const auto find = [&](const char* key) {
        const auto found = file.metadata().find(key);
        return found == file.metadata().end() ? std::nullopt : std::optional(found->second);
    };
    return {find("encoder").value_or(""), find("weights"), find("preprocessing")};
}

FeatureStatistics read_statistics(const fs::path& path) {
    const std::string where = path.string();
    const std::map<std::string, NumpyArray> arrays = read_npz(path);
    FeatureStatistics statistics{tensor_of(member(arrays, "mu", where), where).to(at::kDouble),
                                 tensor_of(member(arrays, "sigma", where), where).to(at::kDouble), 0};
    check_statistics(statistics, where);
    const auto count = arrays.find(kCount);
    const bool has_count = count != arrays.end() && count->second.dtype == Dtype::I64 &&
                           count->second.bytes.size() == sizeof(std::int64_t);
    if (has_count) std::memcpy(&statistics.count, count->second.bytes.data(), sizeof(statistics.count));
    statistics.count = std::max<std::int64_t>(statistics.count, 0);
    return statistics;
}

void check_feature_path(const fs::path& path) {
    if (!is_feature_file(path) && !is_statistics_file(path))
        fail(ErrorCode::usage, SettingKey("output"),
             "expected a name that ends in .npy, .safetensors or .npz, got {}", in_quotes(path.string()));
    std::error_code error;
    if (fs::exists(fs::symlink_status(path, error)) && !is_what_its_name_says(path))
        fail(ErrorCode::usage, SettingKey("output"),
             "{} exists already and holds no features; choose another name", path.string());
}

void write_features(const fs::path& path, const at::Tensor& features,
                    const std::map<std::string, std::string>& about) {
    check_feature_path(path);
    if (is_statistics_file(path)) {
        const FeatureStatistics statistics = statistics_of(features);
        NumpyArray count{Dtype::I64, {}, std::vector<std::byte>(sizeof(statistics.count))};
        std::memcpy(count.bytes.data(), &statistics.count, sizeof(statistics.count));
        write_npz(
            path,
            {{"mu", array_of(statistics.mean)}, {"sigma", array_of(statistics.covariance)}, {kCount, count}});
    } else if (path.extension() == ".npy") {
        write_npy(path, array_of(features));
    } else {
        write_tensors(path, {{"features", features}}, about);
    }
}

}  // namespace gass
