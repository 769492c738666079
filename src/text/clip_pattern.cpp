#include "text/clip_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include "core/fail.h"

#include <pcre2.h>

namespace gass {
namespace {

// Letters and numbers of Unicode 15 and 16: transformers' regular expressions know them, PCRE2 10.42 does not
// yet.
#define NEW_LETTERS                                                                                     \
    R"(\x{1c89}-\x{1c8a}\x{a7cb}-\x{a7cd}\x{a7da}-\x{a7dc}\x{105c0}-\x{105f3}\x{10d4a}-\x{10d65})"      \
    R"(\x{10d6f}-\x{10d85}\x{10ec2}-\x{10ec4}\x{1123f}-\x{11240}\x{11380}-\x{11389}\x{1138b}\x{1138e})" \
    R"(\x{11390}-\x{113b5}\x{113b7}\x{113d1}\x{113d3}\x{11bc0}-\x{11be0}\x{11f02}\x{11f04}-\x{11f10})"  \
    R"(\x{11f12}-\x{11f33}\x{1342f}\x{13441}-\x{13446}\x{13460}-\x{143fa}\x{16100}-\x{1611d})"          \
    R"(\x{16d40}-\x{16d6c}\x{18cff}\x{1b132}\x{1b155}\x{1df25}-\x{1df2a}\x{1e030}-\x{1e06d})"           \
    R"(\x{1e4d0}-\x{1e4eb}\x{1e5d0}-\x{1e5ed}\x{1e5f0}\x{2b739}\x{2ebf0}-\x{2ee5d}\x{31350}-\x{323af})"
#define NEW_NUMBERS                                                                                      \
    R"(\x{10d40}-\x{10d49}\x{116d0}-\x{116e3}\x{11bf0}-\x{11bf9}\x{11f50}-\x{11f59}\x{16130}-\x{16139})" \
    R"(\x{16d70}-\x{16d79}\x{1ccf0}-\x{1ccf9}\x{1d2c0}-\x{1d2d3}\x{1e4f0}-\x{1e4f9}\x{1e5f1}-\x{1e5fa})"

// The only white space in normalised text is the blank. Possessive, so that no word is too long.
constexpr const char* kPattern = R"((<\|startoftext\|>|<\|endoftext\|>)|'s|'t|'re|'ve|'m|'ll|'d)"
                                 R"(|[\p{L})" NEW_LETTERS R"(]++|[\p{N})" NEW_NUMBERS R"(])"
                                 R"(|[^ \p{L}\p{N})" NEW_LETTERS NEW_NUMBERS R"(]++)";

#undef NEW_LETTERS
#undef NEW_NUMBERS

}  // namespace

ClipPattern::ClipPattern() {
    int error = 0;
    PCRE2_SIZE error_offset = 0;
    pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(kPattern), PCRE2_ZERO_TERMINATED,
                                     PCRE2_UTF | PCRE2_UCP, &error, &error_offset, nullptr);
    if (code == nullptr) {
        fail(ErrorCode::failure, "tokenizer", "PCRE2 refuses our pattern at {}, error {}", error_offset,
             error);
    }
    code_ = {code, [](void* owned) { pcre2_code_free(static_cast<pcre2_code*>(owned)); }};
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);  // only faster: without it pcre2_match interprets
}

void ClipPattern::for_each_word(std::string_view text,
                                const std::function<void(std::string_view)>& on_word) const {
    const auto* code = static_cast<const pcre2_code*>(code_.get());
    const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match(
        pcre2_match_data_create_from_pattern(code, nullptr), &pcre2_match_data_free);
    if (!match) fail(ErrorCode::out_of_memory, "tokenizer", "no memory left to look for words");
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match.get());
    std::size_t at = 0;
    while (at < text.size()) {
        const int groups = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at,
                                       PCRE2_NO_UTF_CHECK, match.get(), nullptr);
        if (groups == PCRE2_ERROR_NOMATCH) return;
        if (groups < 0) fail(ErrorCode::failure, "tokenizer", "PCRE2 failed with error {}", groups);
        const std::string_view word = text.substr(ends[0], ends[1] - ends[0]);
        if (groups > 1) {
            // A second split in transformers' byte-level step takes the marker apart again.
            on_word(word.substr(0, 2));
            on_word(word.substr(2, word.size() - 4));
            on_word(word.substr(word.size() - 2));
        } else {
            on_word(word);
        }
        at = ends[1];
    }
}

}  // namespace gass
