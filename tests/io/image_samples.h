#pragma once

#include "io/image.h"

#include <gass/error.h>

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gass::test {

inline std::vector<std::byte> bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

inline std::string big_endian(std::uint32_t value) {
    std::string out;
    for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>((value >> shift) & 0xFFU);
    return out;
}

inline std::string chunk(std::string_view type, std::string_view content) {
    const std::string body = std::string(type) + std::string(content);
    const auto crc = ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
    return big_endian(static_cast<std::uint32_t>(content.size())) + body +
           big_endian(static_cast<std::uint32_t>(crc));
}

inline std::string deflated(std::string_view raw) {
    uLongf size = ::compressBound(raw.size());
    std::string out(size, '\0');
    ::compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
               raw.size());
    out.resize(size);
    return out;
}

inline std::string png_header(std::uint32_t width, std::uint32_t height, int depth = 8, int color = 2) {
    using namespace std::string_literals;
    return "\x89PNG\r\n\x1A\n"s +
           chunk("IHDR", big_endian(width) + big_endian(height) + static_cast<char>(depth) +
                             static_cast<char>(color) + std::string(3, '\0'));
}

inline std::string little_endian(std::size_t value) {
    std::string out;
    for (const unsigned shift : {0U, 8U, 16U, 24U}) out += static_cast<char>((value >> shift) & 0xFFU);
    return out;
}

/// A part of a WebP, padded to an even length.
inline std::string riff_chunk(std::string_view type, std::string_view content) {
    std::string out = std::string(type) + little_endian(content.size()) + std::string(content);
    if (content.size() % 2 == 1) out += '\0';
    return out;
}

inline std::string webp_of(std::string_view chunks) {
    return "RIFF" + little_endian(chunks.size() + 4) + "WEBP" + std::string(chunks);
}

/// What announces the chunks of a WebP that has more than pixels.
inline std::string vp8x(unsigned flags, std::uint32_t width, std::uint32_t height) {
    return riff_chunk("VP8X", little_endian(flags) + little_endian(width - 1).substr(0, 3) +
                                  little_endian(height - 1).substr(0, 3));
}

/// A black 1 x 1 image with extra chunks before and after its pixels.
inline std::string tiny_png(std::string_view before = {}, std::string_view after = {}) {
    return png_header(1, 1) + std::string(before) + chunk("IDAT", deflated(std::string(4, '\0'))) +
           std::string(after) + chunk("IEND", "");
}

/// Colours that change everywhere.
inline Image gradient(std::uint32_t width, std::uint32_t height) {
    Image image{width, height, {}};
    for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
            for (const std::uint32_t value :
                 {x * 255U / width, y * 255U / height, (x * 7U + y * 13U) % 256U}) {
                image.rgb.push_back(static_cast<std::uint8_t>(value));
            }
        }
    }
    return image;
}

/// The error that `work` throws, if it throws one.
inline std::optional<Error> error_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        return error;
    }
    return std::nullopt;
}

inline std::optional<ErrorCode> code_of(const std::function<void()>& work) {
    const std::optional<Error> error = error_of(work);
    return error ? std::optional(error->code()) : std::nullopt;
}

}  // namespace gass::test
