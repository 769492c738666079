#pragma once

#include "io/model_folder.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// Turns a prompt into the numbers that a text encoder reads, exactly as Hugging Face transformers does.
/// Immutable once made: any number of threads may use one at the same time.
class Tokenizer {
  public:
    virtual ~Tokenizer() = default;
    Tokenizer(const Tokenizer&) = delete;
    Tokenizer& operator=(const Tokenizer&) = delete;

    /// The whole sequence with its start and end tokens, neither cut nor padded. Text that is not UTF-8
    /// throws ErrorCode::usage.
    virtual std::vector<std::int32_t> encode(std::string_view utf8_text) const = 0;
    /// The sequence cut or padded on the right to exactly `length`; the start and end tokens survive the cut.
    std::vector<std::int32_t> encode_padded(std::string_view utf8_text, std::size_t length) const;

    /// The length that the text encoder was made for.
    virtual std::size_t max_length() const = 0;
    virtual std::int32_t pad_id() const = 0;
    /// How many tokens there are, added ones included.
    virtual std::size_t vocab_size() const = 0;
    /// All ids are below this.
    virtual std::size_t id_limit() const { return vocab_size(); }
    /// The token for people to read: plain text, with a space where the token says that a word begins or
    /// ends. Empty for an id that no token has; part of a UTF-8 sequence where the token is.
    virtual std::string token_text(std::int32_t id) const = 0;

  protected:
    Tokenizer() = default;
};

/// Reads the tokenizer in `folder`: CLIP (tokenizer.json, or vocab.json and merges.txt) or T5 (tokenizer.json
/// or spiece.model), as `tokenizer_class` in tokenizer_config.json says, or else the files there are.
std::unique_ptr<Tokenizer> load_tokenizer(const ModelFolder& folder);

/// Throws model_invalid if the tokenizer makes ids that a text encoder of so many tokens does not know.
void check_ids(const Tokenizer& tokenizer, std::int64_t encoder_tokens, std::string_view where);

}  // namespace gass
