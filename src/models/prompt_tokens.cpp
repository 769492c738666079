#include "models/prompt_tokens.h"

#include "core/fail.h"

#include <ATen/Functions.h>

namespace gass {

at::Tensor token_ids(const Tokenizer& tokenizer, std::string_view text, std::int64_t length,
                     at::Device device) {
    const std::vector<std::int32_t> ids = tokenizer.encode_padded(text, static_cast<std::size_t>(length));
    const at::Tensor row = at::tensor(at::ArrayRef<std::int32_t>(ids), at::kInt).to(at::kLong);
    return row.unsqueeze(0).to(device);
}

std::vector<std::string> truncation(const Tokenizer& tokenizer, std::string_view encoder,
                                    std::string_view text, std::int64_t length) {
    const std::size_t tokens = tokenizer.encode(text).size();
    if (tokens <= static_cast<std::size_t>(length)) return {};
    return {fmt::format("{} reads {} of the text's {} tokens and ignores the rest", encoder, length, tokens)};
}

void check_tokenizer(const Tokenizer& tokenizer, std::size_t length, const ClipTextConfig& encoder,
                     std::string_view where) {
    check_ids(tokenizer, encoder.vocab_size, where);
    if (length > static_cast<std::size_t>(encoder.max_position_embeddings)) {
        fail(ErrorCode::model_invalid, where, "the tokenizer makes {} tokens, its text encoder takes {}",
             length, encoder.max_position_embeddings);
    }
}

void check_clip_skip(std::int64_t clip_skip, std::int64_t layers) {
    if (clip_skip >= layers) {
        fail(ErrorCode::usage, SettingKey("clip_skip"),
             "the text encoder has {} layers; expected 0 to {}, got {}", layers, layers - 1, clip_skip);
    }
}

}  // namespace gass
