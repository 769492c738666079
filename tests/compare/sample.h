#pragma once

#include "compare/comparison.h"

namespace gass {

/// A picture of one colour.
Image plain_picture(std::uint32_t width, std::uint32_t height, std::uint8_t red, std::uint8_t green,
                    std::uint8_t blue);

/// A group of so many pictures, with numbers that grow with `spread`.
ComparedGroup sample_group(const std::string& method, std::size_t images, double spread);

/// One prompt, four methods: none, two that differ, and one that failed.
Comparison sample_comparison();

/// Three prompts, with all that may go wrong: texts that try to be markup, of 64 KB, from right to left and
/// not UTF-8; numbers that are missing, and times that are not finite; one picture, and methods that all
/// stand on one place.
Comparison hostile_comparison();

}  // namespace gass
