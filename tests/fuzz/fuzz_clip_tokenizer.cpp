#include "text/tokenizer_files.h"

#include <gass/error.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

const gass::TokenizerFiles& embedded_files() {
    static const gass::TokenizerFiles files =
        gass::read_tokenizer_files(gass::ModelFolder(std::filesystem::path(GASS_MODELS_DIR) / "mini-clip"));
    return files;
}

/// The embedded files with the one that `choice` names replaced.
gass::TokenizerFiles damaged_files(std::uint8_t choice, std::string content) {
    gass::TokenizerFiles files = embedded_files();
    gass::TokenizerFile damaged{"fuzz", std::move(content)};
    switch (choice % 6) {
        case 0:
            files.config = std::move(damaged);
            break;
        case 1:
            files.special_tokens_map = std::move(damaged);
            break;
        case 2:
            files.added_tokens = std::move(damaged);
            break;
        case 3:
            files.fast = std::move(damaged);
            break;
        case 4:
            files.vocab = std::move(damaged);
            break;
        default:
            files.merges = std::move(damaged);
            break;
    }
    return files;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto tokenizer = gass::make_tokenizer(embedded_files());
    if (size == 0) return 0;
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    // Reading the vocabulary takes long, so most inputs are only encoded.
    if (data[0] < 0xC0) {
        try {
            tokenizer->encode(text);
            tokenizer->encode_padded(text, 77);
        } catch (const gass::Error&) {
        }
        return 0;
    }
    try {
        gass::make_tokenizer(damaged_files(data[0], text))->encode("a dog! <|endoftext|> caf\u00e9 " + text);
    } catch (const gass::Error&) {
    }
    return 0;
}
