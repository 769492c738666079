#pragma once

#include "text/added_tokens.h"
#include "text/charsmap.h"
#include "text/tokenizer.h"
#include "text/tokenizer_files.h"
#include "text/tokenizer_settings.h"
#include "text/unigram.h"

namespace gass {

/// T5's tokenizer: SentencePiece's normalisation, words, unigram pieces; an end token behind.
class T5Tokenizer final : public Tokenizer {
  public:
    explicit T5Tokenizer(const TokenizerFiles& files);

    std::vector<std::int32_t> encode(std::string_view utf8_text) const override;
    std::size_t max_length() const override { return settings_.max_length; }
    std::int32_t pad_id() const override { return pad_id_; }
    std::size_t vocab_size() const override { return unigram_.size() + added_.new_tokens(); }
    std::string token_text(std::int32_t id) const override;

  private:
    struct Vocabulary;
    static Vocabulary read_vocabulary(const TokenizerFiles& files);
    T5Tokenizer(const TokenizerFiles& files, Vocabulary vocabulary);

    std::string normalize(std::string_view text) const { return charsmap_.normalize(text); }
    void encode_text(std::string_view normalized, std::vector<std::int32_t>& ids) const;

    TokenizerSettings settings_;
    Charsmap charsmap_;
    Unigram unigram_;
    AddedTokens added_;
    std::int32_t eos_id_;
    std::int32_t pad_id_;
};

}  // namespace gass
