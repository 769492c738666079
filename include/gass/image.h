#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gass {

/// Pixels as they are shown: 8 bits, red green blue, rows from the top, no padding.
struct Image {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::vector<std::uint8_t> rgb;  ///< [height][width][3]

    bool operator==(const Image&) const = default;
};

/// A picture that is left out, and why.
struct UnreadableFile {
    std::filesystem::path file;
    std::string reason;
};

}  // namespace gass
