#pragma once

#include "text/added_tokens.h"
#include "text/tokenizer_files.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// What a kind of tokenizer brings along, for what its files do not say.
struct TokenizerDefaults {
    std::map<std::string, std::string>
        special_tokens;  ///< "eos_token" and so on; these must not be null either
    std::vector<AddedToken> extra_tokens;
    std::size_t max_length;
};

/// The settings beside the vocabulary, gathered from up to four files as transformers does.
struct TokenizerSettings {
    /// In the order in which they are to be added; a content may come twice, the later one counts.
    std::vector<AddedToken> added_tokens;
    std::map<std::string, std::string> special_tokens;
    std::size_t max_length;
};

/// `fast` is the parsed tokenizer.json, or null.
TokenizerSettings read_tokenizer_settings(const TokenizerFiles& files, const Json& fast,
                                          const TokenizerDefaults& defaults);

/// The id of "eos_token" or another one that the defaults name.
std::int32_t special_token_id(const std::string& name, const TokenizerSettings& settings,
                              const AddedTokens& added, const TokenizerFiles& files);

}  // namespace gass
