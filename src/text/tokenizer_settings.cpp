#include "text/tokenizer_settings.h"

#include "core/fail.h"
#include "core/quote.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <set>

namespace gass {
namespace {

// Longer ones could only serve to make the search for them slow.
constexpr std::size_t kMaxContent = 256;

/// A special token as the files give it: plain text says nothing about how to look for it, which counts when
/// transformers compares two of them.
struct GivenToken {
    AddedToken token;
    bool plain_text;

    auto operator<=>(const GivenToken&) const = default;
};

AddedToken plain_special_token(std::string_view content, std::string_view where) {
    if (content.size() > kMaxContent) {
        fail(ErrorCode::model_invalid, where, "the token {} is longer than {} bytes", in_quotes(content, 40),
             kMaxContent);
    }
    return {.content = std::string(content), .normalized = false, .special = true};
}

bool read_flag(const Json& object, std::string_view key, bool otherwise, std::string_view where) {
    const Json* member = json_member(object, key);
    if (member == nullptr) return otherwise;
    if (!member->is_boolean()) {
        fail(ErrorCode::model_invalid, where, "{} of a token must be true or false", in_quotes(key));
    }
    return member->get<bool>();
}

AddedToken read_token_object(const Json& object, std::string_view where, bool always_special = false) {
    JsonReader reader(object, where);
    AddedToken token = plain_special_token(reader.string("content"), where);
    token.special = always_special || read_flag(object, "special", false, where);
    token.normalized = read_flag(object, "normalized", !token.special, where);
    token.single_word = read_flag(object, "single_word", false, where);
    token.lstrip = read_flag(object, "lstrip", false, where);
    token.rstrip = read_flag(object, "rstrip", false, where);
    return token;
}

/// The value of a "…_token" key, or an entry of a list of tokens.
GivenToken read_given_token(const Json& value, std::string_view where, bool always_special) {
    if (value.is_string()) return {plain_special_token(value.get_ref<const std::string&>(), where), true};
    if (!value.is_object()) {
        fail(ErrorCode::model_invalid, where, "a token must be text or an object, not {}", value.type_name());
    }
    return {read_token_object(value, where, always_special), false};
}

std::int64_t token_id(const Json& value, std::string_view where) {
    constexpr std::int64_t kMaxId = 1 << 30;
    std::int64_t id = -1;
    if (value.is_number_integer()) id = value.get<std::int64_t>();
    if (id < 0 || id > kMaxId)
        fail(ErrorCode::model_invalid, where, "a token's id must be between 0 and {}", kMaxId);
    return id;
}

const Json& require_object(const Json& value, std::string_view what, std::string_view where) {
    if (!value.is_object()) {
        fail(ErrorCode::model_invalid, where, "{} must be an object, not {}", what, value.type_name());
    }
    return value;
}

Json parse_object(const std::optional<TokenizerFile>& file) {
    if (!file) return Json::object();
    return require_object(parse_json(file->content, file->name), "the file's content", file->name);
}

constexpr std::array<std::string_view, 7> kNamed{"bos_token", "eos_token", "unk_token", "sep_token",
                                                 "pad_token", "cls_token", "mask_token"};

class Gatherer {
  public:
    Gatherer(const TokenizerFiles& files, const Json& fast, const TokenizerDefaults& defaults)
        : files_(files), fast_(fast), defaults_(defaults) {}

    TokenizerSettings gather() {
        const Json config = parse_object(files_.config);
        const std::string where = files_.config ? files_.config->name : files_.folder.string();
        refuse_unsupported(config, where);
        read_named(config, where, false);
        read_extra(config, where);
        if (const Json* decoder = json_member(config, "added_tokens_decoder")) {
            read_decoder(require_object(*decoder, "\"added_tokens_decoder\"", where), where);
        } else {
            read_older_files();
        }
        return {.added_tokens = in_order(),
                .special_tokens = contents(),
                .max_length = read_max_length(config, where)};
    }

  private:
    static void refuse_unsupported(const Json& config, std::string_view where) {
        for (const std::string_view key : {"padding_side", "truncation_side"}) {
            const Json* side = json_member(config, key);
            if (side != nullptr && *side != "right") {
                fail(ErrorCode::model_invalid, where, "{} must be \"right\"", in_quotes(key));
            }
        }
        if (read_flag(config, "split_special_tokens", false, where)) {
            fail(ErrorCode::model_invalid, where, "\"split_special_tokens\" is not supported");
        }
    }

    std::size_t read_max_length(const Json& config, std::string_view where) const {
        constexpr double kAbsurd = 1e6;  // transformers writes 1e30 for "not known"
        const Json* value = json_member(config, "model_max_length");
        if (value == nullptr) return defaults_.max_length;
        const double length = value->is_number() ? value->get<double>() : 0;
        if (!(length >= 2))
            fail(ErrorCode::model_invalid, where, "\"model_max_length\" must be a number, 2 or more");
        return length > kAbsurd ? defaults_.max_length : static_cast<std::size_t>(length);
    }

    void read_named(const Json& object, const std::string& where, bool always_special) {
        for (const auto& [key, value] : object.items()) {
            const bool named = std::ranges::find(kNamed, key) != kNamed.end();
            if (value.is_null() && defaults_.special_tokens.contains(key)) {
                fail(ErrorCode::model_invalid, where, "{} must not be null", in_quotes(key));
            }
            if (value.is_null() || !key.ends_with("_token")) continue;
            if (named) {
                named_.insert_or_assign(key, read_given_token(value, where, always_special));
            } else if (value.is_string() || value.is_object()) {
                others_.push_back(read_given_token(value, where, always_special));
            }
        }
    }

    void read_extra(const Json& object, const std::string& where) {
        const Json* list = json_member(object, "extra_special_tokens");
        if (list == nullptr || list->empty()) list = json_member(object, "additional_special_tokens");
        if (list == nullptr || list->empty()) return;
        if (!list->is_array()) {
            fail(ErrorCode::model_invalid, where, "the list of extra special tokens must be an array");
        }
        extra_.emplace();
        for (const Json& value : *list) extra_->push_back(read_given_token(value, where, true));
    }

    void read_decoder(const Json& decoder, std::string_view where) {
        for (const auto& [key, value] : decoder.items()) {
            std::int64_t id = 0;
            const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
            if (error != std::errc() || end != key.data() + key.size()) {
                fail(ErrorCode::model_invalid, where, "{} in \"added_tokens_decoder\" is not a token's id",
                     in_quotes(key));
            }
            decoder_[id] = read_token_object(value, where);
        }
    }

    /// How tokens were described before tokenizer_config.json had "added_tokens_decoder".
    void read_older_files() {
        if (files_.special_tokens_map) {
            const Json map = parse_object(files_.special_tokens_map);
            read_named(map, files_.special_tokens_map->name, true);
            if (!extra_) read_extra(map, files_.special_tokens_map->name);
        }
        if (files_.added_tokens) {
            const std::string& where = files_.added_tokens->name;
            const Json tokens = parse_object(files_.added_tokens);
            for (const auto& [content, id] : tokens.items()) {
                AddedToken token = plain_special_token(content, where);
                token.special = is_named(content);
                token.normalized = !token.special;
                decoder_[token_id(id, where)] = token;
            }
        }
        if (const Json* tokens = json_member(fast_, "added_tokens")) {
            const std::string& where = files_.fast->name;
            if (!tokens->is_array())
                fail(ErrorCode::model_invalid, where, "\"added_tokens\" must be an array");
            for (const Json& value : *tokens) {
                const AddedToken token = read_token_object(value, where);
                decoder_[token_id(JsonReader(value, where).at("id"), where)] = token;
            }
        }
    }

    bool is_named(std::string_view content) const {
        const auto same = [&](const GivenToken& given) { return given.token.content == content; };
        return std::ranges::any_of(named_, [&](const auto& entry) { return same(entry.second); }) ||
               (extra_ && std::ranges::any_of(*extra_, same));
    }

    std::vector<AddedToken> in_order() const {
        std::vector<AddedToken> result;
        std::map<std::string_view, const AddedToken*> described;
        for (const auto& [id, token] : decoder_) {
            described[token.content] = &token;
            result.push_back(token);
        }
        std::set<GivenToken> added;
        const auto add = [&](const GivenToken& given) {
            if (described.contains(given.token.content)) return;
            if (added.insert(given).second) result.push_back(given.token);
        };
        for (const std::string_view name : kNamed) {
            const auto it = named_.find(std::string(name));
            if (it != named_.end()) {
                add(it->second);
            } else if (const auto other = defaults_.special_tokens.find(std::string(name));
                       other != defaults_.special_tokens.end()) {
                add({plain_special_token(other->second, files_.folder.string()), true});
            }
        }
        for (const GivenToken& given : others_) add(given);
        if (extra_) {
            for (const GivenToken& given : *extra_) add(given);
        } else {
            for (const AddedToken& token : defaults_.extra_tokens) add({token, false});
        }
        return result;
    }

    std::map<std::string, std::string> contents() const {
        std::map<std::string, std::string> result = defaults_.special_tokens;
        for (const auto& [name, given] : named_) result.insert_or_assign(name, given.token.content);
        return result;
    }

    const TokenizerFiles& files_;
    const Json& fast_;
    const TokenizerDefaults& defaults_;
    std::map<std::string, GivenToken> named_;
    std::vector<GivenToken> others_;
    std::optional<std::vector<GivenToken>> extra_;
    std::map<std::int64_t, AddedToken> decoder_;
};

}  // namespace

TokenizerSettings read_tokenizer_settings(const TokenizerFiles& files, const Json& fast,
                                          const TokenizerDefaults& defaults) {
    return Gatherer(files, fast, defaults).gather();
}

std::int32_t special_token_id(const std::string& name, const TokenizerSettings& settings,
                              const AddedTokens& added, const TokenizerFiles& files) {
    const std::optional<std::int32_t> id = added.id_of(settings.special_tokens.at(name));
    if (!id) fail(ErrorCode::model_invalid, files.folder.string(), "{} must not be empty", in_quotes(name));
    return *id;
}

}  // namespace gass
