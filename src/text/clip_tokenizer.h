#pragma once

#include "text/added_tokens.h"
#include "text/clip_pattern.h"
#include "text/clip_vocabulary.h"
#include "text/tokenizer.h"
#include "text/tokenizer_files.h"
#include "text/tokenizer_settings.h"

namespace gass {

/// CLIP's tokenizer: normal form C, lower case, words, byte-pair encoding; start and end tokens around.
class ClipTokenizer final : public Tokenizer {
  public:
    explicit ClipTokenizer(const TokenizerFiles& files);

    std::vector<std::int32_t> encode(std::string_view utf8_text) const override;
    std::size_t max_length() const override { return settings_.max_length; }
    std::int32_t pad_id() const override { return pad_id_; }
    std::size_t vocab_size() const override { return vocabulary_.size() + added_.new_tokens(); }
    std::size_t id_limit() const override { return std::max(vocabulary_.id_limit(), vocab_size()); }
    std::string token_text(std::int32_t id) const override;

  private:
    ClipTokenizer(const TokenizerFiles& files, const Json& fast);

    TokenizerSettings settings_;
    ClipVocabulary vocabulary_;
    AddedTokens added_;
    ClipPattern pattern_;
    std::int32_t bos_id_;
    std::int32_t eos_id_;
    std::int32_t pad_id_;
};

}  // namespace gass
