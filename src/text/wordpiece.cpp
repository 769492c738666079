#include "text/wordpiece.h"

#include "core/fail.h"
#include "core/quote.h"
#include "io/file.h"
#include "text/bert_characters.h"
#include "text/unicode.h"

#include <algorithm>

namespace gass {
namespace {

constexpr std::string_view kContinuation = "##";
constexpr std::size_t kLongestWord = 100;  // in characters; longer ones are unknown

TokenizerDefaults bert_defaults() {
    return {.special_tokens = {{"unk_token", "[UNK]"},
                               {"sep_token", "[SEP]"},
                               {"pad_token", "[PAD]"},
                               {"cls_token", "[CLS]"},
                               {"mask_token", "[MASK]"}},
            .extra_tokens = {},
            .max_length = 512};
}

/// The settings, if they ask for nothing but the uncased rules.
TokenizerSettings read_settings(const TokenizerFiles& files) {
    if (files.config) {
        const Json config = parse_json(files.config->content, files.config->name);
        for (const char* rule : {"do_lower_case", "strip_accents", "tokenize_chinese_chars"}) {
            const Json* value = json_member(config, rule);
            if (value != nullptr && *value != true)
                fail(ErrorCode::model_invalid, files.config->name, "{} must be true", in_quotes(rule));
        }
    }
    return read_tokenizer_settings(files, Json(), bert_defaults());
}

std::string_view trimmed_at_end(std::string_view text) {
    while (!text.empty()) {
        const CodePoint c = last_code_point(text);
        if (!is_space(c.value)) break;
        text.remove_suffix(c.size);
    }
    return text;
}

/// Drops control characters, makes all space plain, and puts space around ideographs.
std::string clean(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const CodePoint c = first_code_point(text);
        const std::string_view character = text.substr(0, c.size);
        text.remove_prefix(c.size);
        if (is_dropped_by_bert(c.value)) continue;
        if (is_space(c.value)) {
            result += ' ';
        } else if (is_ideograph(c.value)) {
            result.append(" ").append(character).append(" ");
        } else {
            result.append(character);
        }
    }
    return result;
}

std::string without_accents(std::string_view text) {
    const std::string decomposed = to_nfd(text);
    std::string result;
    result.reserve(decomposed.size());
    for (std::string_view rest = decomposed; !rest.empty();) {
        const CodePoint c = first_code_point(rest);
        if (!is_accent(c.value)) result.append(rest.substr(0, c.size));
        rest.remove_prefix(c.size);
    }
    return result;
}

std::string normalize_for_bert(std::string_view text) {
    return to_lower(without_accents(clean(text)));
}

bool longer_than(std::string_view word, std::size_t characters) {
    std::size_t count = 0;
    for (const char byte : word) {
        const bool begins = (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
        if (begins && ++count > characters) return true;
    }
    return false;
}

}  // namespace

WordPieceVocabulary::WordPieceVocabulary(const TokenizerFile& file, const std::string& unknown) {
    if (!is_utf8(file.content))
        fail(ErrorCode::model_invalid, file.name, "the vocabulary is not valid UTF-8");
    std::int32_t line = 0;
    for (std::string_view rest = file.content; !rest.empty(); ++line) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view token = trimmed_at_end(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        ids_.insert_or_assign(std::string(token), line);  // of two equal lines the later one counts
    }
    for (const auto& [token, id] : ids_) {
        tokens_.emplace(id, token);
        if (longer_than(token, kLongestWord + kContinuation.size())) continue;
        if (token.starts_with(kContinuation)) {
            continuations_.insert(std::string_view(token).substr(kContinuation.size()), id);
        } else {
            beginnings_.insert(token, id);
        }
    }
    const std::optional<std::int32_t> unknown_id = id_of(unknown);
    if (!unknown_id) fail(ErrorCode::model_invalid, file.name, "the token {} is missing", in_quotes(unknown));
    unknown_id_ = *unknown_id;
}

std::optional<std::int32_t> WordPieceVocabulary::id_of(std::string_view token) const {
    const auto it = ids_.find(std::string(token));
    return it == ids_.end() ? std::nullopt : std::optional(it->second);
}

std::string WordPieceVocabulary::text_of(std::int32_t id) const {
    const auto it = tokens_.find(id);
    if (it == tokens_.end()) return {};
    if (it->second.starts_with(kContinuation)) return it->second.substr(kContinuation.size());
    return " " + it->second;
}

void WordPieceVocabulary::encode_word(std::string_view word, std::vector<std::int32_t>& ids) const {
    const std::size_t before = ids.size();
    bool known = !longer_than(word, kLongestWord);
    for (const ByteTrie* pieces = &beginnings_; known && !word.empty(); pieces = &continuations_) {
        std::size_t length = 0;
        std::int32_t id = -1;
        pieces->prefixes(word, [&](std::size_t found_length, std::int32_t found_id) {
            length = found_length;
            id = found_id;
        });
        known = length > 0;
        word.remove_prefix(length);
        if (known) ids.push_back(id);
    }
    if (known) return;
    ids.resize(before);
    ids.push_back(unknown_id_);
}

WordPieceTokenizer::WordPieceTokenizer(const TokenizerFiles& files, const TokenizerFile& vocabulary)
    : settings_(read_settings(files)),
      vocabulary_(vocabulary, settings_.special_tokens.at("unk_token")),
      added_(
          settings_.added_tokens, [this](std::string_view token) { return vocabulary_.id_of(token); },
          vocabulary_.size(), normalize_for_bert),
      cls_id_(special_token_id("cls_token", settings_, added_, files)),
      sep_id_(special_token_id("sep_token", settings_, added_, files)),
      pad_id_(special_token_id("pad_token", settings_, added_, files)) {
}

std::vector<std::int32_t> WordPieceTokenizer::encode(std::string_view utf8_text) const {
    if (!is_utf8(utf8_text)) fail(ErrorCode::usage, "tokenizer", "the text is not valid UTF-8");
    std::vector<std::int32_t> ids{cls_id_};
    added_.encode(
        utf8_text, normalize_for_bert,
        [this](std::string_view text, std::vector<std::int32_t>& to) { encode_text(text, to); }, ids);
    ids.push_back(sep_id_);
    return ids;
}

/// Words end at space; a punctuation mark is a word of its own.
void WordPieceTokenizer::encode_text(std::string_view normalized, std::vector<std::int32_t>& ids) const {
    std::size_t start = 0;
    std::size_t at = 0;
    const auto finish_word = [&] {
        if (start < at) vocabulary_.encode_word(normalized.substr(start, at - start), ids);
    };
    while (at < normalized.size()) {
        const CodePoint c = first_code_point(normalized.substr(at));
        const bool punctuation = is_bert_punctuation(c.value);
        if (punctuation || is_space(c.value)) {
            finish_word();
            if (punctuation) vocabulary_.encode_word(normalized.substr(at, c.size), ids);
            start = at + c.size;
        }
        at += c.size;
    }
    finish_word();
}

std::string WordPieceTokenizer::token_text(std::int32_t id) const {
    const AddedToken* added = added_.find(id);
    return added != nullptr ? added->content : vocabulary_.text_of(id);
}

std::unique_ptr<Tokenizer> load_wordpiece(const ModelFolder& folder) {
    constexpr std::size_t kMaxBytes = std::size_t{4} << 20U;
    const char* name = "vocab.txt";
    const TokenizerFile vocabulary{folder.shown(name), read_text_file(folder.file(name), kMaxBytes)};
    return std::make_unique<WordPieceTokenizer>(read_tokenizer_files(folder), vocabulary);
}

}  // namespace gass
