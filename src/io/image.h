#pragma once

#include "io/file.h"

#include <gass/image.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// One piece of text that travels inside an image file, "parameters" for instance. Both are UTF-8.
struct ImageText {
    std::string key;
    std::string value;

    bool operator==(const ImageText&) const = default;
};

enum class ImageColor { gray, gray_alpha, palette, rgb, rgba, ycbcr, cmyk, ycck };

std::string_view to_string(ImageColor color) noexcept;

/// What the file says about itself.
struct ImageInfo {
    std::string_view format;   ///< "png", a name in picture_format.h
    std::uint32_t width = 0;   ///< as shown: after the orientation was applied; or as stored, if asked for
    std::uint32_t height = 0;  ///< likewise
    ImageColor color = ImageColor::rgb;
    unsigned bit_depth = 8;    ///< bits per channel, or per palette index
    unsigned orientation = 1;  ///< EXIF: 1 is upright; 2 to 8 are undone on reading, unless as stored
    bool progressive = false;  ///< a progressive JPEG or an interlaced PNG
    std::vector<ImageText> text;
};

/// The text under a key, the first if there are several; null if there is none.
const std::string* find_text(const ImageInfo& info, std::string_view key);

struct ImageFile {
    Image image;
    ImageInfo info;
};

/// What becomes of the EXIF orientation. Viewers turn pictures upright; Pillow's `Image.open`, and with it
/// the reference programs of the metrics, leave the pixels as they are stored.
enum class Orientation { upright, as_stored };

/// Larger images are refused before any memory is reserved for them.
inline constexpr std::uint64_t kMaxImagePixels = std::uint64_t{256} << 20U;

/// So are larger files: 16 bits for each channel of so many pixels, not compressed at all, and as much again.
inline constexpr std::uint64_t kMaxImageBytes = std::uint64_t{4} << 30U;

/// A picture's file to be decoded, or hashed. Throws model_invalid for what is of no format that we read by
/// its first bytes, or too large, before the rest is looked at.
MappedFile map_image(const std::filesystem::path& path);

/// Reads a PNG, JPEG or WebP file, told apart by content, not by name. Damaged, truncated, oversized and
/// foreign files throw model_invalid. The pixels equal those of Pillow's
/// `ImageOps.exif_transpose(Image.open(f)).convert("RGB")`, or without `exif_transpose` if they are wanted as
/// stored: alpha is dropped, CMYK is taken as Adobe writes it, no colour profile is applied. The one
/// difference is 16-bit gray, which Pillow clips at 255; here it becomes its high byte, as 16-bit RGB does in
/// both.
ImageFile read_image(const std::filesystem::path& path, Orientation orientation = Orientation::upright);
/// The same without decoding pixels, upright. The text of a PNG is found wherever it stands in the file.
ImageInfo read_image_info(const std::filesystem::path& path);

/// The same from memory; `where` stands in front of error messages.
ImageFile decode_image(std::span<const std::byte> bytes, std::string_view where,
                       Orientation orientation = Orientation::upright);
ImageInfo decode_image_info(std::span<const std::byte> bytes, std::string_view where);

}  // namespace gass
