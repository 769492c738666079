#include "core/quote.h"
#include "support/expect_error.h"
#include "text/tokenizer_samples.h"
#include "text/unicode.h"

#include <rapidcheck/gtest.h>

namespace gass {
namespace {

using test::Ids;

const Tokenizer& embedded() {
    static const std::unique_ptr<Tokenizer> tokenizer = make_tokenizer(test::embedded_files());
    return *tokenizer;
}

std::string random_utf8() {
    const auto code_points = *rc::gen::container<std::vector<std::int32_t>>(
        rc::gen::oneOf(rc::gen::inRange(0, 0x80), rc::gen::inRange(0x80, 0x3000),
                       rc::gen::inRange(0x3000, 0xD800), rc::gen::inRange(0xE000, 0x110000)));
    std::string text;
    for (const std::int32_t c : code_points) append_utf8(text, c);
    return text;
}

TEST(ClipTokenizer, EncodesAsTransformersDoes) {
    EXPECT_EQ(embedded().encode("a dog! <|ENDOFTEXT|> x <|endoftext|>  ! <|startoftext|>!!"),
              (Ids{3512, 320, 536, 256, 27,   347, 606,  531, 69,  1424,
                   1110, 91,  285, 343, 3513, 256, 3512, 0,   256, 3513}));
    EXPECT_EQ(embedded().encode(""), (Ids{3512, 3513}));
    EXPECT_EQ(embedded().encode(" \t\u3000\n"), (Ids{3512, 3513}));
    EXPECT_EQ(embedded().encode("A  DOG"), embedded().encode("a dog"));
    EXPECT_EQ(embedded().encode("cafe\u0301"), embedded().encode("caf\u00e9"));
}

TEST(ClipTokenizer, KnowsItsSettings) {
    EXPECT_EQ(embedded().max_length(), 24U);
    EXPECT_EQ(embedded().pad_id(), 3513);
    EXPECT_EQ(embedded().vocab_size(), 3514U);
}

TEST(ClipTokenizer, CutsAndPads) {
    EXPECT_EQ(embedded().encode_padded("a dog", 6), (Ids{3512, 320, 536, 3513, 3513, 3513}));
    EXPECT_EQ(embedded().encode_padded("a dog", 4), (Ids{3512, 320, 536, 3513}));
    EXPECT_EQ(embedded().encode_padded("a dog", 3), (Ids{3512, 320, 3513}));
    EXPECT_EQ(embedded().encode_padded("a dog", 2), (Ids{3512, 3513}));
    test::expect_error(ErrorCode::usage, "has no room", [] { embedded().encode_padded("a dog", 1); });
}

TEST(ClipTokenizer, ShowsTokens) {
    EXPECT_EQ(embedded().token_text(536), "dog ");
    EXPECT_EQ(embedded().token_text(3512), "<|startoftext|>");
    EXPECT_EQ(embedded().token_text(-1), "");
    EXPECT_EQ(embedded().token_text(1'000'000), "");
}

TEST(ClipTokenizer, RefusesTextThatIsNotUtf8) {
    test::expect_error(ErrorCode::usage, "not valid UTF-8", [] { embedded().encode("a \xFF"); });
    test::expect_error(ErrorCode::usage, "not valid UTF-8", [] { embedded().encode("\xED\xA0\x80"); });
}

TEST(ClipTokenizer, TakesLongTextWithoutDelay) {
    constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
    EXPECT_GT(embedded().encode(std::string(kMegabyte, 'a')).size(), 2U);
    EXPECT_GT(embedded().encode(std::string(kMegabyte, '!')).size(), 2U);
    std::string marks;  // one run of combining marks in the worst order
    for (std::size_t i = 0; i < kMegabyte / 4; ++i) marks += "\u0301";
    for (std::size_t i = 0; i < kMegabyte / 4; ++i) marks += "\u0334";
    EXPECT_GT(embedded().encode(marks).size(), 2U);
}

RC_GTEST_PROP(ClipTokenizer, WordsComeBackFromTheirTokens, ()) {
    const auto words = *rc::gen::container<std::vector<std::string>>(
        rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', '{'))));
    std::string text;
    for (const std::string& word : words) text += word + ' ';
    std::string back;
    for (const std::int32_t id : embedded().encode(text)) {
        if (id < 3512) back += embedded().token_text(id);
    }
    RC_ASSERT(back == text);
}

RC_GTEST_PROP(ClipTokenizer, EveryIdIsInTheVocabulary, ()) {
    const std::string text = random_utf8();
    RC_ASSERT(is_utf8(text));
    const Ids ids = embedded().encode(text);
    RC_ASSERT(ids.front() == 3512);
    RC_ASSERT(ids.back() == 3513);
    for (const std::int32_t id : ids) RC_ASSERT(id >= 0 && id < 3514);
    const auto length = *rc::gen::inRange<std::size_t>(2, 100);
    RC_ASSERT(embedded().encode_padded(text, length).size() == length);
}

struct Damage {
    std::string vocab;
    std::string merges;
    std::string message;
};

TEST(ClipTokenizer, RefusesDamagedVocabularies) {
    const std::string one = R"({"<|endoftext|>": 0, "a": 1, "b": 2})";
    const std::vector<Damage> all{
        {"", "", "[vocab.json] not valid JSON"},
        {"[]", "", "[vocab.json] the vocabulary must be an object, not array"},
        {R"({"a": -1})", "", "the id of \"a\" must be a whole number"},
        {R"({"a": 1.5})", "", "the id of \"a\" must be a whole number"},
        {R"({"a": 99999999999999999999})", "", "the id of \"a\" must be a whole number"},
        {R"({"a": "1"})", "", "the id of \"a\" must be a whole number"},
        {R"({"a": 1})", "", "nor the unknown token \"<|endoftext|>\""},
        {one, "a b c\n", "[merges.txt] line 1: expected two tokens, found \"a b c\""},
        {one, "#version: 0.2\nab\n", "[merges.txt] line 2: expected two tokens, found \"ab\""},
        {one, "#version: 0.2\n\n", "line 2: expected two tokens"},
        {one, "a b\n", "needs the token \"ab\", which is not there"},
        {one, "a \xFF\n", "needs the token \"\\xff\", which is not there"},
    };
    for (const Damage& damage : all) {
        TokenizerFiles files;
        files.vocab = TokenizerFile{"vocab.json", damage.vocab};
        files.merges = TokenizerFile{"merges.txt", damage.merges};
        test::expect_error(ErrorCode::model_invalid, damage.message, [&] { make_tokenizer(files); });
    }
}

TEST(ClipTokenizer, RefusesDamagedTokenizerJson) {
    const std::vector<std::pair<std::string, std::string>> all{
        {"{}", "type"},
        {R"({"model": []})", "type"},
        {R"({"model": {"type": "WordPiece"}})", "type"},
        {R"({"model": {"type": "BPE"}})", "\"vocab\" is missing"},
        {R"({"model": {"type": "BPE", "vocab": {"<|endoftext|>": 0}, "merges": {}}})",
         "\"merges\" must be an array"},
        {R"({"model": {"type": "BPE", "vocab": {"<|endoftext|>": 0}, "merges": ["ab"]}})",
         "is not two tokens"},
        {R"({"model": {"type": "BPE", "vocab": {"<|endoftext|>": 0}, "merges": [["a"]]}})",
         "a merge must be"},
        {R"({"model": {"type": "BPE", "vocab": {"<|endoftext|>": 0}}, "added_tokens": [{"id": 0}]})",
         "\"content\""},
        {R"({"model": {"type": "BPE", "vocab": {"<|endoftext|>": 0}}, "added_tokens": [{"content": "x"}]})",
         "\"id\""},
        {R"({"model": {"type": "BPE", "vocab": {"<|endoftext|>": 0}}, "added_tokens": 3})",
         "must be an array"},
    };
    for (const auto& [content, message] : all) {
        TokenizerFiles files;
        files.fast = TokenizerFile{"tokenizer.json", content};
        test::expect_error(ErrorCode::model_invalid, message, [&, text = content] { make_tokenizer(files); });
    }
}

TEST(ClipTokenizer, UsesTheUnknownTokenForMissingBytes) {
    TokenizerFiles files;
    files.vocab =
        TokenizerFile{"vocab.json", R"({"<|startoftext|>": 0, "<|endoftext|>": 1, "a": 2, "a</w>": 3})"};
    files.merges = TokenizerFile{"merges.txt", ""};
    EXPECT_EQ(make_tokenizer(files)->encode("aab a"), (Ids{0, 2, 2, 1, 3, 1}));
}

}  // namespace
}  // namespace gass
