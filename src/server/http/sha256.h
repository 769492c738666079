#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace gass::http {

/// SHA-256 of a text (FIPS 180-4): keys are compared and kept by it, so that neither time nor a file tells
/// them.
std::array<std::uint8_t, 32> sha256(std::string_view text);

/// Its first 16 bytes as hex digits.
std::string short_sha256(std::string_view text);

/// Compares two of them in a time that does not depend on where they differ.
bool is_same_digest(const std::array<std::uint8_t, 32>& a, const std::array<std::uint8_t, 32>& b);

}  // namespace gass::http
