#include "text/wordpiece.h"

#include <gass/error.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

constexpr const char* kVocabulary =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\n##a\n##b\n##ab\nabc\n!\n,\ne\n##e\n\u4e00\n";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const gass::WordPieceTokenizer tokenizer({}, {"vocab.txt", kVocabulary});
    if (size == 0) return 0;
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    try {
        switch (data[0] % 4) {
            case 0:
                gass::WordPieceTokenizer({}, {"fuzz", text}).encode("abc \u00e9! [MASK] " + text);
                break;
            case 1: {
                gass::TokenizerFiles files;
                files.config = gass::TokenizerFile{"fuzz", text};
                gass::WordPieceTokenizer(files, {"vocab.txt", kVocabulary}).encode(text);
                break;
            }
            default:
                tokenizer.encode(text);
                tokenizer.encode_padded(text, 35);
        }
    } catch (const gass::Error&) {
    }
    return 0;
}
