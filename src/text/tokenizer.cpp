#include "text/tokenizer.h"

#include "core/fail.h"
#include "core/quote.h"
#include "io/file.h"
#include "text/clip_tokenizer.h"
#include "text/t5_tokenizer.h"
#include "text/tokenizer_files.h"

#include <optional>

namespace gass {
namespace {

enum class Kind { clip, t5 };

std::optional<TokenizerFile> read_if_present(const ModelFolder& folder, const char* name) {
    if (!folder.has(name)) return std::nullopt;
    return TokenizerFile{folder.shown(name), read_text_file(folder.file(name))};
}

std::optional<Kind> kind_by_class(const TokenizerFiles& files) {
    if (!files.config) return std::nullopt;
    const Json config = parse_json(files.config->content, files.config->name);
    const Json* name = json_member(config, "tokenizer_class");
    if (name == nullptr) return std::nullopt;
    if (*name == "CLIPTokenizer" || *name == "CLIPTokenizerFast") return Kind::clip;
    if (*name == "T5Tokenizer" || *name == "T5TokenizerFast") return Kind::t5;
    fail(ErrorCode::model_invalid, files.config->name,
         "\"tokenizer_class\" must be CLIPTokenizer or T5Tokenizer, not {}",
         name->is_string() ? in_quotes(name->get_ref<const std::string&>()) : std::string(name->type_name()));
}

Kind kind_by_files(const TokenizerFiles& files) {
    if (files.sentencepiece) return Kind::t5;
    if (files.vocab || files.merges) return Kind::clip;
    if (!files.fast) {
        fail(ErrorCode::model_not_found, files.folder.string(),
             "no tokenizer here: expected vocab.json and merges.txt, tokenizer.json or spiece.model");
    }
    const Json fast = parse_json(files.fast->content, files.fast->name);
    const Json* model = json_member(fast, "model");
    const Json* type = model == nullptr ? nullptr : json_member(*model, "type");
    if (type != nullptr && *type == "BPE") return Kind::clip;
    if (type != nullptr && *type == "Unigram") return Kind::t5;
    fail(ErrorCode::model_invalid, files.fast->name, "the model's \"type\" must be \"BPE\" or \"Unigram\"");
}

}  // namespace

std::vector<std::int32_t> Tokenizer::encode_padded(std::string_view utf8_text, std::size_t length) const {
    std::vector<std::int32_t> ids = encode(utf8_text);
    const std::size_t least = encode("").size();
    if (length < least) {
        fail(ErrorCode::usage, "tokenizer", "a sequence of {} tokens has no room for its {} special tokens",
             length, least);
    }
    if (ids.size() > length) {
        const std::int32_t end = ids.back();
        ids.resize(length);
        ids.back() = end;
    }
    ids.resize(length, pad_id());
    return ids;
}

const Json* json_member(const Json& value, std::string_view key) {
    if (!value.is_object()) return nullptr;
    const auto it = value.find(key);
    return it == value.end() || it->is_null() ? nullptr : &*it;
}

TokenizerFiles read_tokenizer_files(const ModelFolder& folder) {
    return {.folder = folder.root(),
            .config = read_if_present(folder, "tokenizer_config.json"),
            .special_tokens_map = read_if_present(folder, "special_tokens_map.json"),
            .added_tokens = read_if_present(folder, "added_tokens.json"),
            .fast = read_if_present(folder, "tokenizer.json"),
            .vocab = read_if_present(folder, "vocab.json"),
            .merges = read_if_present(folder, "merges.txt"),
            .sentencepiece = read_if_present(folder, "spiece.model")};
}

std::unique_ptr<Tokenizer> make_tokenizer(const TokenizerFiles& files) {
    const std::optional<Kind> by_class = kind_by_class(files);
    const Kind kind = by_class ? *by_class : kind_by_files(files);
    if (kind == Kind::clip) return std::make_unique<ClipTokenizer>(files);
    return std::make_unique<T5Tokenizer>(files);
}

std::unique_ptr<Tokenizer> load_tokenizer(const ModelFolder& folder) {
    return make_tokenizer(read_tokenizer_files(folder));
}

void check_ids(const Tokenizer& tokenizer, std::int64_t encoder_tokens, std::string_view where) {
    if (tokenizer.id_limit() > static_cast<std::size_t>(encoder_tokens)) {
        fail(ErrorCode::model_invalid, where,
             "the tokenizer makes ids up to {}, its text encoder knows {} tokens", tokenizer.id_limit() - 1,
             encoder_tokens);
    }
}

}  // namespace gass
