#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace gass {

/// XXH3-128 of the bytes as 32 hex digits.
std::string hash_bytes(std::span<const std::byte> bytes);
inline std::string hash_text(std::string_view text) {
    return hash_bytes(std::as_bytes(std::span(text)));
}

}  // namespace gass
