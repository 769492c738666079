#include "text/t5_tokenizer.h"

#include "core/fail.h"
#include "core/quote.h"
#include "text/base64.h"
#include "text/unicode.h"

#include <utility>

namespace gass {

/// A T5 vocabulary from either of the two files that it may come in.
struct T5Tokenizer::Vocabulary {
    std::string where;
    SentencePieceModel model;
    Json fast;
    std::size_t extra_ids;
};

namespace {

constexpr std::string_view kSpaceMark = "\u2581";
constexpr std::int32_t kUnknownId = 2;

std::string extra_token(std::size_t number) {
    return fmt::format("<extra_id_{}>", number);
}

std::size_t read_extra_ids(const TokenizerFiles& files) {
    constexpr std::size_t kUsual = 100;
    constexpr std::size_t kMost = 10'000;
    if (!files.config) return kUsual;
    const Json config = parse_json(files.config->content, files.config->name);
    const Json* value = json_member(config, "extra_ids");
    if (value == nullptr) return kUsual;
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() > kMost) {
        fail(ErrorCode::model_invalid, files.config->name,
             "\"extra_ids\" must be a whole number from 0 to {}", kMost);
    }
    return value->get<std::size_t>();
}

Piece read_json_piece(const Json& entry, std::string_view where) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number()) {
        fail(ErrorCode::model_invalid, where, "an entry of the vocabulary must be [\"piece\", score]");
    }
    return {.text = entry[0].get<std::string>(), .score = entry[1].get<double>()};
}

/// The rules in tokenizer.json's normaliser, which may stand alone or in a sequence.
std::string read_json_charsmap(const Json& fast, std::string_view where) {
    const Json* normalizer = json_member(fast, "normalizer");
    if (normalizer == nullptr) return {};
    const Json* sequence = json_member(*normalizer, "normalizers");
    const Json candidates =
        sequence != nullptr && sequence->is_array() ? *sequence : Json::array({*normalizer});
    for (const Json& candidate : candidates) {
        const Json* type = json_member(candidate, "type");
        const Json* map = json_member(candidate, "precompiled_charsmap");
        if (type == nullptr || *type != "Precompiled" || map == nullptr) continue;
        if (!map->is_string()) fail(ErrorCode::model_invalid, where, "\"precompiled_charsmap\" must be text");
        return decode_base64(map->get_ref<const std::string&>(), where);
    }
    return {};
}

SentencePieceModel read_json_model(const Json& fast, std::string_view where) {
    const Json* model = json_member(fast, "model");
    const Json* type = model == nullptr ? nullptr : json_member(*model, "type");
    const Json* vocabulary = model == nullptr ? nullptr : json_member(*model, "vocab");
    if (type != nullptr && *type != "Unigram") {
        fail(ErrorCode::model_invalid, where, "a T5 tokenizer's model must be of \"type\" \"Unigram\"");
    }
    if (vocabulary == nullptr || !vocabulary->is_array()) {
        fail(ErrorCode::model_invalid, where, "the model's \"vocab\" must be an array");
    }
    SentencePieceModel result;
    for (const Json& entry : *vocabulary) result.pieces.push_back(read_json_piece(entry, where));
    result.charsmap = read_json_charsmap(fast, where);
    return result;
}

void require_unknown_piece(const std::vector<Piece>& pieces, std::string_view where) {
    if (std::cmp_less(kUnknownId, pieces.size())) return;
    fail(ErrorCode::model_invalid, where, "the vocabulary has {} pieces, and none for unknown characters",
         pieces.size());
}

TokenizerDefaults t5_defaults(const std::vector<Piece>& pieces, std::size_t extra_ids) {
    TokenizerDefaults defaults{
        .special_tokens = {{"eos_token", "</s>"}, {"unk_token", "<unk>"}, {"pad_token", "<pad>"}},
        .extra_tokens = {},
        .max_length = 512};
    const auto add = [&](std::string content, bool special) {
        defaults.extra_tokens.push_back(
            {.content = std::move(content), .normalized = false, .special = special});
    };
    for (const Piece& piece : pieces) {
        if (piece.kind != Piece::Kind::ordinary) add(piece.text, piece.kind == Piece::Kind::control);
    }
    for (std::size_t i = 0; i < extra_ids; ++i) add(extra_token(i), true);
    return defaults;
}

}  // namespace

T5Tokenizer::Vocabulary T5Tokenizer::read_vocabulary(const TokenizerFiles& files) {
    const std::size_t extra_ids = read_extra_ids(files);
    if (files.fast) {
        Json fast = parse_json(files.fast->content, files.fast->name);
        SentencePieceModel model = read_json_model(fast, files.fast->name);
        require_unknown_piece(model.pieces, files.fast->name);
        return {files.fast->name, std::move(model), std::move(fast), extra_ids};
    }
    if (!files.sentencepiece) {
        fail(ErrorCode::model_not_found, (files.folder / "spiece.model").string(), "the file is missing");
    }
    const std::string& where = files.sentencepiece->name;
    SentencePieceModel model = parse_sentencepiece_model(files.sentencepiece->content, where);
    require_unknown_piece(model.pieces, where);
    // The file does not have T5's sentinels; they follow its pieces, the last one first.
    for (std::size_t i = extra_ids; i-- > 0;) model.pieces.push_back({.text = extra_token(i), .score = 0});
    return {where, std::move(model), Json(), extra_ids};
}

T5Tokenizer::T5Tokenizer(const TokenizerFiles& files) : T5Tokenizer(files, read_vocabulary(files)) {
}

T5Tokenizer::T5Tokenizer(const TokenizerFiles& files, Vocabulary vocabulary)
    : settings_(read_tokenizer_settings(files, vocabulary.fast,
                                        t5_defaults(vocabulary.model.pieces, vocabulary.extra_ids))),
      charsmap_(vocabulary.model.charsmap, vocabulary.where),
      unigram_(std::move(vocabulary.model.pieces), kUnknownId, vocabulary.where),
      added_(
          settings_.added_tokens, [this](std::string_view token) { return unigram_.id_of(token); },
          unigram_.size(), [this](std::string_view text) { return normalize(text); }),
      eos_id_(special_token_id("eos_token", settings_, added_, files)),
      pad_id_(special_token_id("pad_token", settings_, added_, files)) {
}

std::vector<std::int32_t> T5Tokenizer::encode(std::string_view utf8_text) const {
    if (!is_utf8(utf8_text)) fail(ErrorCode::usage, "tokenizer", "the text is not valid UTF-8");
    std::vector<std::int32_t> ids;
    added_.encode(
        utf8_text, [this](std::string_view text) { return normalize(text); },
        [this](std::string_view text, std::vector<std::int32_t>& to) { encode_text(text, to); }, ids);
    ids.push_back(eos_id_);
    return ids;
}

/// A word starts at white space and at the mark that stands for it; the mark leads every word.
void T5Tokenizer::encode_text(std::string_view normalized, std::vector<std::int32_t>& ids) const {
    std::string word;
    const auto finish_word = [&] {
        if (!word.empty()) unigram_.encode_word(word, ids);
        word.clear();
    };
    while (!normalized.empty()) {
        const CodePoint c = first_code_point(normalized);
        const std::string_view character = normalized.substr(0, c.size);
        normalized.remove_prefix(c.size);
        if (is_space(c.value) || character == kSpaceMark) finish_word();
        if (is_space(c.value)) continue;
        if (word.empty() && character != kSpaceMark) word = kSpaceMark;
        word.append(character);
    }
    finish_word();
}

std::string T5Tokenizer::token_text(std::int32_t id) const {
    if (const AddedToken* added = added_.find(id)) return added->content;
    if (id < 0 || std::cmp_greater_equal(id, unigram_.size())) return {};
    const std::string& piece = unigram_.pieces()[static_cast<std::size_t>(id)].text;
    if (!piece.starts_with(kSpaceMark)) return piece;
    return ' ' + piece.substr(kSpaceMark.size());
}

}  // namespace gass
