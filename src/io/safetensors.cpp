#include "io/safetensors.h"

#include "core/fail.h"
#include "core/json.h"
#include "core/quote.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gass {
namespace {

/// A float is NaN or infinite when all bits of its exponent are set. `mask` are the bits that must all be
/// set.
template <class Bits>
std::uint64_t count_with_mask(std::span<const std::byte> bytes, Bits mask) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i + sizeof(Bits) <= bytes.size(); i += sizeof(Bits)) {
        Bits value;  // a tensor in a file need not be aligned
        std::memcpy(&value, bytes.data() + i, sizeof(Bits));
        count += (value & mask) == mask ? 1 : 0;
    }
    return count;
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path)
    : file_(path), header_(parse_safetensors_header(file_.bytes(), path.string())) {
    index_.reserve(header_.tensors.size());
    for (std::size_t i = 0; i < header_.tensors.size(); ++i) index_.emplace(header_.tensors[i].name, i);
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const {
    const auto it = index_.find(name);
    return it == index_.end() ? nullptr : &header_.tensors[it->second];
}

std::span<const std::byte> SafetensorsFile::bytes(const TensorInfo& tensor) const {
    return file_.bytes().subspan(header_.data_offset + tensor.begin, tensor.byte_count());
}

void write_safetensors(const std::filesystem::path& path, std::vector<TensorToWrite> tensors,
                       const SafetensorsMetadata& metadata) {
    // Widest elements first, as the reference implementation does: every tensor is then aligned to its
    // elements.
    std::sort(tensors.begin(), tensors.end(), [](const TensorToWrite& a, const TensorToWrite& b) {
        return std::pair(a.dtype, std::string_view(a.name)) < std::pair(b.dtype, std::string_view(b.name));
    });
    nlohmann::ordered_json header = Json::object();
    if (!metadata.empty()) header["__metadata__"] = metadata;
    std::uint64_t offset = 0;
    for (const TensorToWrite& tensor : tensors) {
        std::uint64_t bytes = byte_size(tensor.dtype);
        for (const std::int64_t size : tensor.shape) bytes *= static_cast<std::uint64_t>(size);
        if (bytes != tensor.bytes.size()) {
            fail(ErrorCode::usage, path.string(), "tensor {} of shape [{}] needs {} bytes, {} were given",
                 in_quotes(tensor.name), fmt::join(tensor.shape, ", "), bytes, tensor.bytes.size());
        }
        if (header.contains(tensor.name) || tensor.name == "__metadata__") {
            fail(ErrorCode::usage, path.string(), "the tensor name {} cannot be used twice",
                 in_quotes(tensor.name));
        }
        header[tensor.name] = {{"dtype", to_string(tensor.dtype)},
                               {"shape", tensor.shape},
                               {"data_offsets", {offset, offset + bytes}}};
        offset += bytes;
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');  // the data begins at a multiple of 8
    const std::uint64_t length = text.size();

    AtomicFile file(path);
    file.write(std::as_bytes(std::span(&length, 1)));
    file.write(text);
    for (const TensorToWrite& tensor : tensors) file.write(tensor.bytes);
    file.commit();
}

std::uint64_t count_non_finite(Dtype dtype, std::span<const std::byte> bytes) {
    switch (dtype) {
        case Dtype::F64:
            return count_with_mask<std::uint64_t>(bytes, 0x7FF0'0000'0000'0000U);
        case Dtype::F32:
        case Dtype::C64:
            return count_with_mask<std::uint32_t>(bytes, 0x7F80'0000U);
        case Dtype::F16:
            return count_with_mask<std::uint16_t>(bytes, 0x7C00U);
        case Dtype::BF16:
            return count_with_mask<std::uint16_t>(bytes, 0x7F80U);
        case Dtype::F8_E5M2:
            return count_with_mask<std::uint8_t>(bytes, 0x7CU);
        case Dtype::F8_E4M3:
            return count_with_mask<std::uint8_t>(bytes, 0x7FU);  // it has no infinity and one NaN
        default:
            return 0;
    }
}

}  // namespace gass
