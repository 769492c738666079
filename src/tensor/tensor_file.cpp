#include "tensor/tensor_file.h"

#include "core/fail.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <array>
#include <cstring>
#include <utility>

namespace gass {
namespace {

constexpr std::array kScalarTypes{
    std::pair{Dtype::F64, at::kDouble},
    std::pair{Dtype::F32, at::kFloat},
    std::pair{Dtype::F16, at::kHalf},
    std::pair{Dtype::BF16, at::kBFloat16},
    std::pair{Dtype::F8_E4M3, at::kFloat8_e4m3fn},
    std::pair{Dtype::F8_E5M2, at::kFloat8_e5m2},
    std::pair{Dtype::C64, at::kComplexFloat},
    std::pair{Dtype::I64, at::kLong},
    std::pair{Dtype::I32, at::kInt},
    std::pair{Dtype::I16, at::kShort},
    std::pair{Dtype::I8, at::kChar},
    std::pair{Dtype::U64, at::kUInt64},
    std::pair{Dtype::U32, at::kUInt32},
    std::pair{Dtype::U16, at::kUInt16},
    std::pair{Dtype::U8, at::kByte},
    std::pair{Dtype::BOOL, at::kBool},
};

Dtype dtype_of(at::ScalarType type) {
    for (const auto& [dtype, scalar] : kScalarTypes) {
        if (scalar == type) return dtype;
    }
    fail(ErrorCode::usage, "safetensors", "cannot write a tensor of type {}", at::toString(type));
}

bool is_aligned(const void* address, std::size_t alignment) {
    return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

}  // namespace

at::ScalarType scalar_type(Dtype dtype) {
    for (const auto& [known, scalar] : kScalarTypes) {
        if (known == dtype) return scalar;
    }
    fail(ErrorCode::model_invalid, "safetensors", "no tensor type for {}", to_string(dtype));
}

at::Tensor load_tensor(const Weights::Entry& entry) {
    const auto bytes = entry.file->bytes(*entry.tensor);
    const at::TensorOptions options = at::TensorOptions(scalar_type(entry.tensor->dtype));
    if (bytes.empty() || !is_aligned(bytes.data(), byte_size(entry.tensor->dtype))) {
        at::Tensor copy = at::empty(entry.tensor->shape, options);
        if (!bytes.empty()) std::memcpy(copy.data_ptr(), bytes.data(), bytes.size());
        return copy;
    }
    // The deleter's only work is to hold the file until the last view is gone.
    return at::from_blob(
        const_cast<std::byte*>(bytes.data()), entry.tensor->shape, [file = entry.file](void*) {}, options);
}

void write_tensors(const std::filesystem::path& path, const std::map<std::string, at::Tensor>& tensors,
                   const SafetensorsMetadata& metadata) {
    std::vector<at::Tensor> kept;  // the contiguous CPU copies that the entries below point into
    std::vector<TensorToWrite> entries;
    for (const auto& [name, tensor] : tensors) {
        kept.push_back(tensor.cpu().contiguous());
        const at::Tensor& data = kept.back();
        entries.push_back({name,
                           dtype_of(data.scalar_type()),
                           data.sizes().vec(),
                           {static_cast<const std::byte*>(data.const_data_ptr()), data.nbytes()}});
    }
    write_safetensors(path, std::move(entries), metadata);
}

}  // namespace gass
