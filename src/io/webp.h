#pragma once

#include "io/image.h"

namespace gass {

/// What the format allows, in pixels.
inline constexpr std::uint32_t kMaxWebpSide = 16383;

/// Decodes a whole WebP with one picture, lossy or lossless; see read_image for what comes out. Animations
/// throw model_invalid. What follows the end that the file states is not looked at.
ImageFile decode_webp(std::span<const std::byte> bytes, std::string_view where,
                      Orientation orientation = Orientation::upright);
/// Header and text only; the pixels are neither unpacked nor checked.
ImageInfo decode_webp_info(std::span<const std::byte> bytes, std::string_view where);

/// A WebP, the same bytes for the same input: lossy with a quality of 1 to 99, lossless with 100. The text
/// `parameters` becomes the EXIF UserComment, where A1111 and others look for it, and `gass` an XMP packet.
/// Other keys, a key that comes twice and parameters that EXIF has no room for (see has_room_in_webp) throw
/// usage.
std::vector<std::byte> encode_webp(const Image& image, int quality, std::span<const ImageText> text);

/// Whether `encode_webp` takes this text. EXIF is limited to 64 KiB (32,000 UTF-16 units) here as in JPEG:
/// most readers, ours among them, look no further.
bool has_room_in_webp(const ImageText& text);

}  // namespace gass
