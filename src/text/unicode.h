#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gass {

/// A decoded code point and how many bytes it took.
struct CodePoint {
    std::int32_t value;
    std::size_t size;
};

/// From the first to the last, both included.
struct CodePointRange {
    std::int32_t first;
    std::int32_t last;
};

/// Whether one of the ranges, which are in order, has the code point.
bool contains(std::span<const CodePointRange> ranges, std::int32_t code_point) noexcept;

/// The first code point of a valid, non-empty UTF-8 text.
CodePoint first_code_point(std::string_view utf8);
/// The last one.
CodePoint last_code_point(std::string_view utf8);

void append_utf8(std::string& text, std::int32_t code_point);

/// Unicode's White_Space.
bool is_space(std::int32_t code_point) noexcept;

/// What a regular expression calls \w: letters, marks, digits, connectors, joiners.
bool is_word(std::int32_t code_point) noexcept;

/// Normal form C, with the tables of the Rust crate that transformers relies on. Linear but for sorting runs
/// of marks.
std::string to_nfc(std::string_view utf8);
/// Normal form D, likewise.
std::string to_nfd(std::string_view utf8);

/// Lower case code point by code point, without the rules that look at neighbours.
std::string to_lower(std::string_view utf8);

/// Whether a user-perceived character may end between two neighbouring code points. `state` starts at 0 and
/// belongs to one walk over a text.
bool grapheme_ends_between(std::int32_t left, std::int32_t right, std::int32_t& state) noexcept;

}  // namespace gass
