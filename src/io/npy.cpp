#include "io/npy.h"

#include "core/fail.h"
#include "io/npy_header.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace gass {
namespace {

void swap_bytes(std::span<std::byte> bytes, std::size_t width) {
    for (std::size_t i = 0; i < bytes.size(); i += width)
        std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                     bytes.begin() + static_cast<std::ptrdiff_t>(i + width));
}

/// Elements whose first index runs fastest, put in the order in which the last one does.
std::vector<std::byte> from_fortran_order(std::span<const std::byte> source,
                                          const std::vector<std::int64_t>& shape, std::size_t width) {
    std::vector<std::byte> result(source.size());
    std::vector<std::size_t> sizes;
    std::vector<std::size_t> strides;  // in the source, in bytes
    std::size_t stride = width;
    for (const std::int64_t size : shape) {
        sizes.push_back(static_cast<std::size_t>(size));
        strides.push_back(stride);
        stride *= sizes.back();
    }
    std::vector<std::size_t> index(sizes.size(), 0);
    std::size_t from = 0;
    for (std::size_t to = 0; to < result.size(); to += width) {
        std::memcpy(&result[to], &source[from], width);
        for (std::size_t axis = sizes.size(); axis-- > 0;) {
            from += strides[axis];
            if (++index[axis] < sizes[axis]) break;
            from -= strides[axis] * sizes[axis];
            index[axis] = 0;
        }
    }
    return result;
}

}  // namespace

NumpyArray decode_npy(std::span<const std::byte> file, std::string_view where) {
    NpyHeader header = parse_npy_header(file, where);
    const std::span<const std::byte> elements = file.subspan(header.data_offset);
    const std::size_t width = byte_size(header.dtype);
    NumpyArray array{header.dtype, std::move(header.shape), {}};
    if (header.fortran_order && array.shape.size() > 1) {
        array.bytes = from_fortran_order(elements, array.shape, width);
    } else {
        array.bytes.assign(elements.begin(), elements.end());
    }
    if (header.big_endian) swap_bytes(array.bytes, width);
    return array;
}

NumpyArray read_npy(const std::filesystem::path& path) {
    return decode_npy(MappedFile(path).bytes(), path.string());
}

std::string npy_header(const NumpyArray& array) {
    constexpr std::string_view kWhere = "npy";
    const std::string_view name = numpy_name(array.dtype);
    if (name.empty()) fail(ErrorCode::usage, kWhere, "NumPy has no element type {}", to_string(array.dtype));
    if (array.shape.size() > kMaxNpyDimensions ||
        npy_byte_count(array.dtype, array.shape) != array.bytes.size())
        fail(ErrorCode::usage, kWhere, "{} bytes do not fill an array of {} and shape [{}]",
             array.bytes.size(), to_string(array.dtype), fmt::join(array.shape, ", "));
    std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   byte_size(array.dtype) == 1 ? '|' : '<', name,
                                   fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
    // The elements begin at a multiple of 64 bytes, for whoever maps the file.
    constexpr std::size_t kFixed = 10;
    constexpr std::size_t kAlignment = 64;
    const std::size_t whole = (kFixed + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
    text.resize(whole - kFixed - 1, ' ');
    text += '\n';
    std::string header("\x93NUMPY\x01\x00", 8);
    header += static_cast<char>(text.size() & 0xFFU);
    header += static_cast<char>(text.size() >> 8U);
    return header + text;
}

std::vector<std::byte> encode_npy(const NumpyArray& array) {
    const std::string header = npy_header(array);
    const auto head = std::as_bytes(std::span(header));
    std::vector<std::byte> file;
    file.reserve(head.size() + array.bytes.size());
    file.insert(file.end(), head.begin(), head.end());
    file.insert(file.end(), array.bytes.begin(), array.bytes.end());
    return file;
}

void write_npy(const std::filesystem::path& path, const NumpyArray& array) {
    const std::string header = npy_header(array);
    AtomicFile file(path);
    file.write(header);
    file.write(array.bytes);
    file.commit();
}

}  // namespace gass
