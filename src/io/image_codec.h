#pragma once

#include "io/image.h"

#include <csetjmp>
#include <type_traits>

namespace gass {

// What the formats share. The declarations without a body are defined in image.cpp.

/// Throws model_invalid for sizes that are zero or above kMaxImagePixels.
void check_pixel_count(std::uint64_t width, std::uint64_t height, std::string_view where);

/// Zeroed memory for pixels; throws out_of_memory.
std::vector<std::uint8_t> reserve_bytes(std::size_t count, std::string_view where);

/// Throws usage if size and content do not agree.
void check_writable(const Image& image, std::string_view where);

/// Throws usage for a value that no text chunk can carry.
void check_text(const ImageText& text, std::string_view where);

/// Makes the size as stored the size as shown, by the orientation.
void show_upright(ImageInfo& info);
/// The same, and turns and mirrors the pixels.
void show_upright(ImageFile& file, std::string_view where);

/// Runs `work`, which calls a C library whose error handler jumps to `jump`; false if it did. The jump passes
/// over `work` and over what it calls, so nothing there may own anything: all that does belongs to the
/// caller.
template <class Work>
bool runs_without_jump(std::jmp_buf& jump, Work work) {
    static_assert(std::is_trivially_destructible_v<Work>);
    if (setjmp(jump) != 0) return false;  // NOLINT: the only way out of libpng and libjpeg
    work();
    return true;
}

}  // namespace gass
