#pragma once

#include "text/byte_trie.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gass {

/// A token that is cut out of the text before the model's own rules see it: "<|endoftext|>" for instance.
struct AddedToken {
    std::string content;
    bool single_word = false;  ///< only where no word character touches it
    bool lstrip = false;       ///< takes the white space on its left with it
    bool rstrip = false;       ///< takes the white space on its right with it
    bool normalized = true;    ///< is looked for in the normalised text, not in the text as given
    bool special = false;

    auto operator<=>(const AddedToken&) const = default;
};

/// The added tokens of one tokenizer, with the rules of Hugging Face tokenizers.
class AddedTokens {
  public:
    using Normalize = std::function<std::string(std::string_view)>;
    using IdOf = std::function<std::optional<std::int32_t>(std::string_view)>;
    using EncodeText = std::function<void(std::string_view normalized, std::vector<std::int32_t>& ids)>;

    /// A token whose content is in the model's vocabulary (`base_id`) takes that id, others the next free
    /// ones from `base_size`. A content that comes twice keeps what was said last.
    AddedTokens(const std::vector<AddedToken>& tokens, const IdOf& base_id, std::size_t base_size,
                const Normalize& normalize);

    /// Appends the ids of the whole text: added tokens are found here, the rest is normalised and left to
    /// `encode_text`.
    void encode(std::string_view text, const Normalize& normalize, const EncodeText& encode_text,
                std::vector<std::int32_t>& ids) const;

    std::optional<std::int32_t> id_of(std::string_view content) const;
    /// nullptr if the id belongs to no added token.
    const AddedToken* find(std::int32_t id) const;
    /// How many of the tokens the model's vocabulary does not have.
    std::size_t new_tokens() const { return new_tokens_; }

  private:
    template <class OnText, class OnToken>
    void split(std::string_view text, const ByteTrie& trie, OnText&& on_text, OnToken&& on_token) const;

    std::unordered_map<std::string, std::int32_t> ids_;
    std::unordered_map<std::int32_t, AddedToken> tokens_;
    ByteTrie as_given_;
    ByteTrie normalized_;
    std::size_t new_tokens_ = 0;
};

}  // namespace gass
