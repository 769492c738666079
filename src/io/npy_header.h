#pragma once

#include "io/safetensors.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gass {

/// What the head of a .npy file says, checked against the file's length.
struct NpyHeader {
    Dtype dtype = Dtype::F32;
    bool big_endian = false;
    bool fortran_order = false;
    std::vector<std::int64_t> shape;
    std::size_t data_offset = 0;  ///< of the first element; they fill the rest of the file exactly
};

/// Throws model_invalid, with `where` in front of the message.
NpyHeader parse_npy_header(std::span<const std::byte> file, std::string_view where);

/// NumPy's name of an element type without the byte order, "f4" for instance; empty if it has none.
std::string_view numpy_name(Dtype dtype) noexcept;

inline constexpr std::size_t kMaxNpyDimensions = 32;

/// The bytes of so many elements; nothing if a size is negative or the number overflows.
std::optional<std::uint64_t> npy_byte_count(Dtype dtype, std::span<const std::int64_t> shape) noexcept;

}  // namespace gass
