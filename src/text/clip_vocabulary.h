#pragma once

#include "core/json.h"
#include "text/bpe.h"
#include "text/tokenizer_files.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gass {

/// CLIP's byte-level byte-pair encoding: every byte is a printable character, the last one of a word carries
/// "</w>".
class ClipVocabulary {
  public:
    /// From tokenizer.json if `fast` holds it, otherwise from vocab.json and merges.txt. `unknown` is the
    /// token for bytes that the vocabulary lacks.
    ClipVocabulary(const TokenizerFiles& files, const Json& fast, const std::string& unknown);

    /// Appends the tokens of one word, which must not be empty.
    void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const;

    std::optional<std::int32_t> id_of(std::string_view token) const;
    std::size_t size() const { return ids_.size(); }
    /// All ids are below this; more than the size if some are left out.
    std::size_t id_limit() const { return id_limit_; }
    /// The token as plain bytes, with a space for "</w>"; empty if there is none.
    std::string text_of(std::int32_t id) const;

  private:
    void read_vocabulary(const Json& vocabulary, std::string_view where);
    void read_merges(const Json& merges, std::string_view where);
    void read_merges_text(std::string_view text, std::string_view where);
    void add_merge(const std::string& left, const std::string& right, std::string_view where);
    void set_up_bytes(const std::string& unknown, std::string_view where);

    std::unordered_map<std::string, std::int32_t> ids_;
    std::unordered_map<std::int32_t, std::string> tokens_;
    std::size_t id_limit_ = 0;
    BytePairMerges merges_;
    std::array<std::int32_t, 256> inner_byte_{};
    std::array<std::int32_t, 256> last_byte_{};
};

}  // namespace gass
