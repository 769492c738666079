#pragma once

#include "io/file.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gass {

/// The element types of the format, widest first. Sub-byte types are known to the format but to no network of
/// ours.
enum class Dtype { F64, I64, U64, C64, F32, I32, U32, F16, BF16, I16, U16, F8_E4M3, F8_E5M2, I8, U8, BOOL };

std::string_view to_string(Dtype dtype) noexcept;
std::size_t byte_size(Dtype dtype) noexcept;

/// One tensor of a file: what it is and where its bytes lie, counted from the end of the header.
struct TensorInfo {
    std::string name;
    Dtype dtype = Dtype::F32;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    std::uint64_t byte_count() const { return end - begin; }
    std::uint64_t element_count() const { return byte_count() / byte_size(dtype); }
};

using SafetensorsMetadata = std::map<std::string, std::string>;

/// What the head of a safetensors file says, checked in full: lengths, types, shapes, no overlap, no gap, no
/// byte left.
struct SafetensorsHeader {
    std::vector<TensorInfo> tensors;  // in the order of their bytes
    SafetensorsMetadata metadata;
    std::uint64_t data_offset = 0;  // of the first tensor byte, from the start of the file
};

/// Parses and checks the head of a whole file. Throws model_invalid, with `where` in front of the message.
SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file, std::string_view where);

/// A mapped safetensors file: opening reads the head only; a tensor's bytes are read when they are looked at.
class SafetensorsFile {
  public:
    explicit SafetensorsFile(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return file_.path(); }
    const std::vector<TensorInfo>& tensors() const { return header_.tensors; }
    const SafetensorsMetadata& metadata() const { return header_.metadata; }
    /// The tensor of that name, or nullptr.
    const TensorInfo* find(std::string_view name) const;
    /// The bytes of one of `tensors()`.
    std::span<const std::byte> bytes(const TensorInfo& tensor) const;

  private:
    MappedFile file_;
    SafetensorsHeader header_;
    std::unordered_map<std::string_view, std::size_t>
        index_;  // the names lie in header_.tensors, which never moves
};

/// A tensor to be written; the bytes are little-endian and contiguous.
struct TensorToWrite {
    std::string name;
    Dtype dtype = Dtype::F32;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> bytes;
};

/// Writes a safetensors file that appears whole or not at all. Throws ErrorCode::usage if a tensor's bytes do
/// not fit its shape or a name occurs twice, ErrorCode::io if the disk is full.
void write_safetensors(const std::filesystem::path& path, std::vector<TensorToWrite> tensors,
                       const SafetensorsMetadata& metadata = {});

/// How many of the elements are NaN or infinite; 0 for types that cannot be.
std::uint64_t count_non_finite(Dtype dtype, std::span<const std::byte> bytes);

}  // namespace gass
