#pragma once

#include "models/clip_text.h"
#include "text/tokenizer.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// A text's tokens, cut or padded to `length`: [1, length] on the device.
at::Tensor token_ids(const Tokenizer& tokenizer, std::string_view text, std::int64_t length,
                     at::Device device);

/// One sentence if the tokenizer would cut the text at that length; nothing if not.
std::vector<std::string> truncation(const Tokenizer& tokenizer, std::string_view encoder,
                                    std::string_view text, std::int64_t length);

/// Throws model_invalid if sequences of that length are longer than the encoder has positions for, or if the
/// tokenizer makes tokens that it does not know.
void check_tokenizer(const Tokenizer& tokenizer, std::size_t length, const ClipTextConfig& encoder,
                     std::string_view where);

/// Throws usage unless at least one layer is left.
void check_clip_skip(std::int64_t clip_skip, std::int64_t layers);

}  // namespace gass
