#pragma once

#include "text/added_tokens.h"
#include "text/byte_trie.h"
#include "text/tokenizer.h"
#include "text/tokenizer_settings.h"

#include <memory>
#include <optional>
#include <unordered_map>

namespace gass {

/// The pieces of vocab.txt, one a line; a piece that goes on with a word starts with "##".
class WordPieceVocabulary {
  public:
    /// `unknown` is the token for words that cannot be put together.
    WordPieceVocabulary(const TokenizerFile& file, const std::string& unknown);

    std::size_t size() const { return ids_.size(); }
    std::optional<std::int32_t> id_of(std::string_view token) const;
    /// For people to read, as Tokenizer::token_text.
    std::string text_of(std::int32_t id) const;
    /// Appends the longest pieces from the left, or the unknown token if they do not make the whole word.
    void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const;

  private:
    std::unordered_map<std::string, std::int32_t> ids_;
    std::unordered_map<std::int32_t, std::string> tokens_;
    ByteTrie beginnings_;
    ByteTrie continuations_;  // without their "##"
    std::int32_t unknown_id_ = 0;
};

/// BERT's uncased WordPiece: words without case and accents, cut into the longest pieces that vocab.txt has.
class WordPieceTokenizer : public Tokenizer {
  public:
    /// `vocabulary` is vocab.txt; of `files` the settings beside it count.
    WordPieceTokenizer(const TokenizerFiles& files, const TokenizerFile& vocabulary);

    std::vector<std::int32_t> encode(std::string_view utf8_text) const override;
    std::size_t max_length() const override { return settings_.max_length; }
    std::int32_t pad_id() const override { return pad_id_; }
    std::size_t vocab_size() const override { return vocabulary_.size() + added_.new_tokens(); }
    std::string token_text(std::int32_t id) const override;

  private:
    void encode_text(std::string_view normalized, std::vector<std::int32_t>& ids) const;

    TokenizerSettings settings_;
    WordPieceVocabulary vocabulary_;
    AddedTokens added_;
    std::int32_t cls_id_;
    std::int32_t sep_id_;
    std::int32_t pad_id_;
};

/// Reads vocab.txt and, where they exist, tokenizer_config.json, special_tokens_map.json and
/// added_tokens.json.
std::unique_ptr<Tokenizer> load_wordpiece(const ModelFolder& folder);

}  // namespace gass
