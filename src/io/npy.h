#pragma once

#include "io/safetensors.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// An array as NumPy saves it: elements little-endian, the last index running fastest.
struct NumpyArray {
    Dtype dtype = Dtype::F32;
    std::vector<std::int64_t> shape;
    std::vector<std::byte> bytes;

    bool operator==(const NumpyArray&) const = default;
};

/// Reads a .npy file of format 1.0 to 3.0 with elements f2, f4, f8, i1 to i8, u1 to u8 or b1. Big-endian
/// elements and Fortran order are converted. Everything else throws model_invalid: damaged and incomplete
/// files, structured elements, and Python objects, which only a pickle could restore; pickles are never
/// opened. Memory is taken for what the file holds, not for what it claims.
NumpyArray read_npy(const std::filesystem::path& path);
/// The same from memory; `where` stands in front of error messages.
NumpyArray decode_npy(std::span<const std::byte> file, std::string_view where);

/// The head of a .npy file (format 1.0) with such an array; its elements follow. Throws usage for element
/// types that NumPy does not have, negative sizes, and arrays whose bytes do not fit their shape.
std::string npy_header(const NumpyArray& array);
/// The whole file.
std::vector<std::byte> encode_npy(const NumpyArray& array);
/// Writes a .npy file that appears whole or not at all.
void write_npy(const std::filesystem::path& path, const NumpyArray& array);

}  // namespace gass
