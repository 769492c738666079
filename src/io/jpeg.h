#pragma once

#include "io/image.h"

namespace gass {

/// What libjpeg allows, in pixels.
inline constexpr std::uint32_t kMaxJpegSide = 65500;

/// Decodes a whole JPEG up to its end marker; damage that the decoder could only paper over is an error.
ImageFile decode_jpeg(std::span<const std::byte> bytes, std::string_view where,
                      Orientation orientation = Orientation::upright);
/// Everything up to the first scan.
ImageInfo decode_jpeg_info(std::span<const std::byte> bytes, std::string_view where);

/// A JPEG of quality 1 to 100, the same bytes for the same input. The first text with the key `parameters`
/// becomes the EXIF UserComment, where A1111 and others look for it, the first with the key `gass` an XMP
/// packet; every other text becomes a comment (COM) of the form "key: value". JPEG limits each to 64 KiB
/// (UserComment: 32,000 UTF-16 units); longer ones throw usage, as do keys that are empty, longer than 79
/// bytes or hold a colon or control characters. Reading gives `parameters` first, then `gass`, then the
/// comments in order; a comment of another form gets the key "comment".
std::vector<std::byte> encode_jpeg(const Image& image, int quality, std::span<const ImageText> text);

/// Whether `encode_jpeg` takes a text of that length.
bool has_room_in_jpeg(const ImageText& text);

void write_jpeg(const std::filesystem::path& path, const Image& image, int quality,
                std::span<const ImageText> text);

}  // namespace gass
