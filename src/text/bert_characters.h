#pragma once

#include <cstdint>

namespace gass {

// The kinds of characters that BERT's rules tell apart, with the tables of the library that transformers
// relies on.

/// Control characters, format characters and the like, which vanish; not tab and new line, which are space.
bool is_dropped_by_bert(std::int32_t code_point) noexcept;

/// Ideographs, each of which is a word.
bool is_ideograph(std::int32_t code_point) noexcept;

/// ASCII's symbols and Unicode's punctuation, each of which is a word.
bool is_bert_punctuation(std::int32_t code_point) noexcept;

/// Marks above and below letters, which vanish.
bool is_accent(std::int32_t code_point) noexcept;

}  // namespace gass
