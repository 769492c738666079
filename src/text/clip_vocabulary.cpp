#include "text/clip_vocabulary.h"

#include "core/fail.h"
#include "core/quote.h"
#include "text/unicode.h"

#include <algorithm>

namespace gass {
namespace {

constexpr std::string_view kWordEnd = "</w>";

/// GPT-2's printable stand-in for each byte: itself where Latin-1 has a visible character, otherwise the next
/// free code point from U+0100.
std::array<std::int32_t, 256> byte_characters() {
    std::array<std::int32_t, 256> characters{};
    std::int32_t next = 0x100;
    for (std::int32_t byte = 0; byte < 256; ++byte) {
        const bool visible = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
        characters[static_cast<std::size_t>(byte)] = visible ? byte : next++;
    }
    return characters;
}

}  // namespace

ClipVocabulary::ClipVocabulary(const TokenizerFiles& files, const Json& fast, const std::string& unknown) {
    if (files.fast) {
        const std::string& where = files.fast->name;
        const Json* model = json_member(fast, "model");
        if (model == nullptr) fail(ErrorCode::model_invalid, where, "the key \"model\" is missing");
        JsonReader reader(*model, where);
        if (const Json* type = reader.find("type"); type != nullptr && *type != "BPE") {
            fail(ErrorCode::model_invalid, where, "a CLIP tokenizer's model must be of \"type\" \"BPE\"");
        }
        read_vocabulary(reader.at("vocab"), where);
        if (const Json* merges = reader.find("merges")) read_merges(*merges, where);
        set_up_bytes(unknown, where);
        return;
    }
    if (!files.vocab) {
        fail(ErrorCode::model_not_found, (files.folder / "vocab.json").string(), "the file is missing");
    }
    if (!files.merges) {
        fail(ErrorCode::model_not_found, (files.folder / "merges.txt").string(), "the file is missing");
    }
    read_vocabulary(parse_json(files.vocab->content, files.vocab->name), files.vocab->name);
    read_merges_text(files.merges->content, files.merges->name);
    set_up_bytes(unknown, files.vocab->name);
}

void ClipVocabulary::read_vocabulary(const Json& vocabulary, std::string_view where) {
    constexpr std::int64_t kMaxId = 1 << 30;
    if (!vocabulary.is_object()) {
        fail(ErrorCode::model_invalid, where, "the vocabulary must be an object, not {}",
             vocabulary.type_name());
    }
    for (const auto& [token, id] : vocabulary.items()) {
        const std::int64_t value = id.is_number_integer() ? id.get<std::int64_t>() : -1;
        if (value < 0 || value > kMaxId) {
            fail(ErrorCode::model_invalid, where, "the id of {} must be a whole number from 0 to {}",
                 in_quotes(token), kMaxId);
        }
        id_limit_ = std::max(id_limit_, static_cast<std::size_t>(value) + 1);
        ids_.emplace(token, static_cast<std::int32_t>(value));
        tokens_.insert_or_assign(static_cast<std::int32_t>(value), token);
    }
}

void ClipVocabulary::read_merges(const Json& merges, std::string_view where) {
    if (!merges.is_array()) {
        fail(ErrorCode::model_invalid, where, "\"merges\" must be an array, not {}", merges.type_name());
    }
    for (const Json& merge : merges) {
        if (merge.is_string()) {
            const auto& text = merge.get_ref<const std::string&>();
            const std::size_t space = text.find(' ');
            if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
                fail(ErrorCode::model_invalid, where, "the merge {} is not two tokens", in_quotes(text));
            }
            add_merge(text.substr(0, space), text.substr(space + 1), where);
        } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
            add_merge(merge[0].get_ref<const std::string&>(), merge[1].get_ref<const std::string&>(), where);
        } else {
            fail(ErrorCode::model_invalid, where, "a merge must be \"a b\" or [\"a\", \"b\"]");
        }
    }
}

void ClipVocabulary::read_merges_text(std::string_view text, std::string_view where) {
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.starts_with("#version")) continue;
        const std::size_t space = line.find(' ');
        if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos) {
            fail(ErrorCode::model_invalid, where, "line {}: expected two tokens, found {}", number,
                 in_quotes(line));
        }
        add_merge(std::string(line.substr(0, space)), std::string(line.substr(space + 1)), where);
    }
}

void ClipVocabulary::add_merge(const std::string& left, const std::string& right, std::string_view where) {
    const auto known = [&](const std::string& token) {
        const auto it = ids_.find(token);
        if (it == ids_.end()) {
            fail(ErrorCode::model_invalid, where,
                 "the merge of {} and {} needs the token {}, which is not there", in_quotes(left),
                 in_quotes(right), in_quotes(token));
        }
        return it->second;
    };
    const std::int32_t left_id = known(left);
    const std::int32_t right_id = known(right);
    merges_.add(left_id, right_id, known(left + right));
}

void ClipVocabulary::set_up_bytes(const std::string& unknown, std::string_view where) {
    const std::optional<std::int32_t> unknown_id = id_of(unknown);
    const auto id_or_unknown = [&](const std::string& token) {
        const std::optional<std::int32_t> id = id_of(token);
        if (!id && !unknown_id) {
            fail(ErrorCode::model_invalid, where, "neither {} nor the unknown token {} is in the vocabulary",
                 in_quotes(token), in_quotes(unknown));
        }
        return id ? *id : *unknown_id;
    };
    const std::array<std::int32_t, 256> characters = byte_characters();
    for (std::size_t byte = 0; byte < characters.size(); ++byte) {
        std::string token;
        append_utf8(token, characters[byte]);
        inner_byte_[byte] = id_or_unknown(token);
        last_byte_[byte] = id_or_unknown(token.append(kWordEnd));
    }
}

void ClipVocabulary::encode_word(std::string_view word, std::vector<std::int32_t>& ids) const {
    std::vector<std::int32_t> symbols;
    symbols.reserve(word.size());
    for (const char byte : word) symbols.push_back(inner_byte_[static_cast<unsigned char>(byte)]);
    symbols.back() = last_byte_[static_cast<unsigned char>(word.back())];
    merges_.apply(symbols, ids);
}

std::optional<std::int32_t> ClipVocabulary::id_of(std::string_view token) const {
    const auto it = ids_.find(std::string(token));
    return it == ids_.end() ? std::nullopt : std::optional(it->second);
}

std::string ClipVocabulary::text_of(std::int32_t id) const {
    static const std::unordered_map<std::int32_t, char> bytes = [] {
        std::unordered_map<std::int32_t, char> result;
        const std::array<std::int32_t, 256> characters = byte_characters();
        for (std::size_t byte = 0; byte < characters.size(); ++byte) {
            result.emplace(characters[byte], static_cast<char>(byte));
        }
        return result;
    }();
    const auto it = tokens_.find(id);
    if (it == tokens_.end()) return {};
    std::string_view token = it->second;
    const bool ends_word = token.ends_with(kWordEnd);
    if (ends_word) token.remove_suffix(kWordEnd.size());
    std::string text;
    while (!token.empty()) {
        const CodePoint c = first_code_point(token);
        const auto byte = bytes.find(c.value);
        if (byte == bytes.end()) {
            text.append(token.substr(0, c.size));
        } else {
            text.push_back(byte->second);
        }
        token.remove_prefix(c.size);
    }
    return ends_word ? text + ' ' : text;
}

}  // namespace gass
