#pragma once

#include "io/image.h"

namespace gass {

/// Decodes a whole PNG, its checksums and its end included; see read_image for what comes out.
ImageFile decode_png(std::span<const std::byte> bytes, std::string_view where,
                     Orientation orientation = Orientation::upright);
/// Header and text only; the pixels are neither unpacked nor checked.
ImageInfo decode_png_info(std::span<const std::byte> bytes, std::string_view where);

/// An 8-bit RGB PNG, the same bytes for the same input. Values within Latin-1 become tEXt chunks, others
/// iTXt, as with Pillow's `PngInfo.add_text`. Keys are 1 to 79 printable Latin-1 characters, without spaces
/// at the ends or in pairs; values are UTF-8 without NUL. Anything else throws usage.
std::vector<std::byte> encode_png(const Image& image, std::span<const ImageText> text);

/// Whether that is a PNG that carries this text; not if it is anything else, damaged or not there.
bool carries_text(const std::filesystem::path& path, const ImageText& text);

void write_png(const std::filesystem::path& path, const Image& image, std::span<const ImageText> text);

}  // namespace gass
