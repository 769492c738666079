#include "text/clip_tokenizer.h"

#include "core/fail.h"
#include "core/quote.h"
#include "text/unicode.h"

namespace gass {
namespace {

TokenizerDefaults clip_defaults() {
    return {.special_tokens = {{"bos_token", "<|startoftext|>"},
                               {"eos_token", "<|endoftext|>"},
                               {"unk_token", "<|endoftext|>"},
                               {"pad_token", "<|endoftext|>"}},
            .extra_tokens = {},
            .max_length = 77};
}

std::string normalize(std::string_view text) {
    const std::string composed = to_nfc(text);
    std::string result;
    result.reserve(composed.size());
    bool after_space = false;
    for (std::string_view rest = composed; !rest.empty();) {
        const CodePoint c = first_code_point(rest);
        const bool space = is_space(c.value);
        if (!space) result.append(rest.substr(0, c.size));
        if (space && !after_space) result.push_back(' ');
        after_space = space;
        rest.remove_prefix(c.size);
    }
    return to_lower(result);
}

}  // namespace

ClipTokenizer::ClipTokenizer(const TokenizerFiles& files)
    : ClipTokenizer(files, files.fast ? parse_json(files.fast->content, files.fast->name) : Json()) {
}

ClipTokenizer::ClipTokenizer(const TokenizerFiles& files, const Json& fast)
    : settings_(read_tokenizer_settings(files, fast, clip_defaults())),
      vocabulary_(files, fast, settings_.special_tokens.at("unk_token")),
      added_(
          settings_.added_tokens, [this](std::string_view token) { return vocabulary_.id_of(token); },
          vocabulary_.size(), normalize),
      bos_id_(special_token_id("bos_token", settings_, added_, files)),
      eos_id_(special_token_id("eos_token", settings_, added_, files)),
      pad_id_(special_token_id("pad_token", settings_, added_, files)) {
}

std::vector<std::int32_t> ClipTokenizer::encode(std::string_view utf8_text) const {
    if (!is_utf8(utf8_text)) fail(ErrorCode::usage, "tokenizer", "the text is not valid UTF-8");
    std::vector<std::int32_t> ids{bos_id_};
    const auto encode_text = [this](std::string_view normalized, std::vector<std::int32_t>& to) {
        pattern_.for_each_word(normalized, [&](std::string_view word) { vocabulary_.encode_word(word, to); });
    };
    added_.encode(utf8_text, normalize, encode_text, ids);
    ids.push_back(eos_id_);
    return ids;
}

std::string ClipTokenizer::token_text(std::int32_t id) const {
    const AddedToken* added = added_.find(id);
    return added != nullptr ? added->content : vocabulary_.text_of(id);
}

}  // namespace gass
