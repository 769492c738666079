#include "text/tokenizer_files.h"

#include <gass/error.h>

#include <cstddef>
#include <cstdint>
#include <string>

/// The first byte says which file the rest is; a spiece.model is cut in two, the second part is the text to
/// encode.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    std::string content(reinterpret_cast<const char*>(data) + 1, size - 1);
    std::string text = "a dog <extra_id_0> caf\u00e9 \u2581 \u00aa\u0301 ";
    gass::TokenizerFiles files;
    files.config = gass::TokenizerFile{"config", R"({"tokenizer_class": "T5Tokenizer", "extra_ids": 2})"};
    if (data[0] % 2 == 0) {
        const std::size_t end = content.rfind("\nTEXT\n");
        if (end != std::string::npos) {
            text += content.substr(end + 6);
            content.resize(end);
        }
        files.sentencepiece = gass::TokenizerFile{"fuzz", std::move(content)};
    } else {
        files.fast = gass::TokenizerFile{"fuzz", std::move(content)};
    }
    try {
        const auto tokenizer = gass::make_tokenizer(files);
        tokenizer->encode(text);
        tokenizer->encode_padded(text, 8);
    } catch (const gass::Error&) {
    }
    return 0;
}
