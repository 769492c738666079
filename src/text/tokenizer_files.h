#pragma once

#include "core/json.h"
#include "io/model_folder.h"
#include "text/tokenizer.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace gass {

/// One file of a tokenizer folder: the name that complaints carry, and the content.
struct TokenizerFile {
    std::string name;
    std::string content;
};

/// What a tokenizer folder may hold. Nothing here is trusted.
struct TokenizerFiles {
    std::filesystem::path folder;
    std::optional<TokenizerFile> config;              ///< tokenizer_config.json
    std::optional<TokenizerFile> special_tokens_map;  ///< special_tokens_map.json
    std::optional<TokenizerFile> added_tokens;        ///< added_tokens.json
    std::optional<TokenizerFile> fast;                ///< tokenizer.json
    std::optional<TokenizerFile> vocab;               ///< vocab.json
    std::optional<TokenizerFile> merges;              ///< merges.txt
    std::optional<TokenizerFile> sentencepiece;       ///< spiece.model
};

TokenizerFiles read_tokenizer_files(const ModelFolder& folder);

/// What `load_tokenizer` does once the files are in memory.
std::unique_ptr<Tokenizer> make_tokenizer(const TokenizerFiles& files);

/// The member of a JSON object; nullptr if it is absent or null, or `value` no object.
const Json* json_member(const Json& value, std::string_view key);

}  // namespace gass
