#include "io/image.h"

#include "core/fail.h"
#include "core/quote.h"
#include "io/file.h"
#include "io/image_codec.h"
#include "io/picture_format.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

namespace gass {
namespace {

using namespace std::string_view_literals;

struct Signature {
    std::string_view start;
    std::string_view name;
};

// Kinds that people do mix up with the ones we read.
constexpr std::array kForeign = {
    Signature{"GIF8"sv, "a GIF image"},
    Signature{"BM"sv, "a BMP image"},
    Signature{"II*\0"sv, "a TIFF image"},
    Signature{"MM\0*"sv, "a TIFF image"},
    Signature{"\0\0\0\x0CjXL "sv, "a JPEG XL image"},
    Signature{"\xFF\x0A"sv, "a JPEG XL image"},
    Signature{"\0\0\0\x0CjP  "sv, "a JPEG 2000 image"},
    Signature{"%PDF"sv, "a PDF document"},
    Signature{"PK\x03\x04"sv, "a zip archive"},
    Signature{"\x1F\x8B"sv, "a gzip file"},
    Signature{"version https://git-lfs"sv, "a Git LFS pointer: run `git lfs pull` to get the file itself"},
    Signature{"<!DOCTYPE html"sv, "an HTML page"},
    Signature{"<html"sv, "an HTML page"},
    Signature{"<svg"sv, "an SVG image"},
};

std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool looks_like_text(std::string_view start) {
    const auto odd = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
    };
    if (std::any_of(start.begin(), start.end(), odd)) return false;
    for (int cut = 0; cut < 4 && !start.empty(); ++cut) {  // the last character may be cut in two
        if (is_utf8(start)) return true;
        start.remove_suffix(1);
    }
    return false;
}

std::string describe(std::span<const std::byte> bytes) {
    const std::string_view start = as_text(bytes.first(std::min<std::size_t>(bytes.size(), 64)));
    if (start.empty()) return "an empty file";
    if (start.size() >= 12 && start.substr(4, 4) == "ftyp") return "an AVIF, HEIC or video file";
    for (const Signature& kind : kForeign) {
        if (start.starts_with(kind.start)) return std::string(kind.name);
    }
    if (looks_like_text(start)) return "text: " + in_quotes(start, 40);
    return "something else that starts with " + in_quotes(start.substr(0, 8));
}

const PictureFormat& recognise(std::span<const std::byte> bytes, std::string_view where) {
    const PictureFormat* format = picture_format_of(bytes);
    if (format == nullptr)
        fail(ErrorCode::model_invalid, where, "expected a {} image, found {}", picture_kinds(),
             describe(bytes));
    return *format;
}

}  // namespace

std::string_view to_string(ImageColor color) noexcept {
    switch (color) {
        case ImageColor::gray:
            return "gray";
        case ImageColor::gray_alpha:
            return "gray+alpha";
        case ImageColor::palette:
            return "palette";
        case ImageColor::rgb:
            return "rgb";
        case ImageColor::rgba:
            return "rgba";
        case ImageColor::ycbcr:
            return "ycbcr";
        case ImageColor::cmyk:
            return "cmyk";
        case ImageColor::ycck:
            return "ycck";
    }
    return "unknown";
}

ImageFile decode_image(std::span<const std::byte> bytes, std::string_view where, Orientation orientation) {
    const PictureFormat& format = recognise(bytes, where);
    ImageFile file = format.decode(bytes, where, orientation);
    file.info.format = format.name;
    return file;
}

ImageInfo decode_image_info(std::span<const std::byte> bytes, std::string_view where) {
    const PictureFormat& format = recognise(bytes, where);
    ImageInfo info = format.decode_info(bytes, where);
    info.format = format.name;
    return info;
}

MappedFile map_image(const std::filesystem::path& path) {
    MappedFile file(path);
    recognise(file.bytes(), path.string());
    if (file.bytes().size() > kMaxImageBytes) {
        fail(ErrorCode::model_invalid, path.string(), "the image has {} bytes; at most {} are read",
             file.bytes().size(), kMaxImageBytes);
    }
    return file;
}

ImageFile read_image(const std::filesystem::path& path, Orientation orientation) {
    const MappedFile file = map_image(path);
    return decode_image(file.bytes(), path.string(), orientation);
}

const std::string* find_text(const ImageInfo& info, std::string_view key) {
    const auto found = std::ranges::find(info.text, key, &ImageText::key);
    return found == info.text.end() ? nullptr : &found->value;
}

ImageInfo read_image_info(const std::filesystem::path& path) {
    const MappedFile file = map_image(path);
    return decode_image_info(file.bytes(), path.string());
}

void check_pixel_count(std::uint64_t width, std::uint64_t height, std::string_view where) {
    if (width == 0 || height == 0) {
        fail(ErrorCode::model_invalid, where, "the image has no pixels: {} x {}", width, height);
    }
    if (width > kMaxImagePixels / height) {
        fail(ErrorCode::model_invalid, where, "the image claims {} x {} pixels; at most {} are read", width,
             height, kMaxImagePixels);
    }
}

std::vector<std::uint8_t> reserve_bytes(std::size_t count, std::string_view where) {
    try {
        return std::vector<std::uint8_t>(count);
    } catch (const std::bad_alloc&) {
        fail(ErrorCode::out_of_memory, where, "no memory for the {} bytes of the image", count);
    }
}

void check_writable(const Image& image, std::string_view where) {
    if (image.width == 0 || image.height == 0 || image.width > kMaxImagePixels / image.height ||
        image.rgb.size() != std::size_t{image.width} * image.height * 3) {
        fail(ErrorCode::usage, where, "cannot write an image of {} x {} pixels that has {} bytes",
             image.width, image.height, image.rgb.size());
    }
}

void show_upright(ImageInfo& info) {
    if (info.orientation >= 5) std::swap(info.width, info.height);
}

void show_upright(ImageFile& file, std::string_view where) {
    Image& image = file.image;
    const unsigned orientation = file.info.orientation;
    show_upright(file.info);
    if (orientation <= 1 || orientation > 8) return;
    const bool turned = orientation >= 5;
    const std::size_t source_width = image.width;
    const std::size_t source_height = image.height;
    Image upright;
    upright.width = turned ? image.height : image.width;
    upright.height = turned ? image.width : image.height;
    upright.rgb = reserve_bytes(image.rgb.size(), where);
    const bool mirror_x = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool mirror_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    auto out = upright.rgb.begin();
    for (std::size_t y = 0; y < upright.height; ++y) {
        for (std::size_t x = 0; x < upright.width; ++x) {
            const std::size_t column = turned ? y : x;
            const std::size_t row = turned ? x : y;
            const std::size_t source_x = mirror_x ? source_width - 1 - column : column;
            const std::size_t source_y = mirror_y ? source_height - 1 - row : row;
            out = std::copy_n(
                image.rgb.begin() + static_cast<std::ptrdiff_t>((source_y * source_width + source_x) * 3), 3,
                out);
        }
    }
    image = std::move(upright);
}

void check_text(const ImageText& text, std::string_view where) {
    if (!is_utf8(text.value) || text.value.find('\0') != std::string::npos) {
        fail(ErrorCode::usage, where, "the text {} must be UTF-8 without NUL bytes", in_quotes(text.key));
    }
}

}  // namespace gass
