#include "support/expect_error.h"
#include "text/tokenizer_samples.h"

#include <rapidcheck/gtest.h>

namespace gass {
namespace {

using test::Ids;
using test::proto_bytes;
using test::proto_piece;
using test::small_spiece;
using test::t5_files;

TEST(T5Tokenizer, PicksThePiecesWithTheLargestScore) {
    const auto tokenizer = make_tokenizer(t5_files(small_spiece()));
    EXPECT_EQ(tokenizer->encode(""), (Ids{1}));
    EXPECT_EQ(tokenizer->encode("a b"), (Ids{4, 3, 5, 1}));
    EXPECT_EQ(tokenizer->encode("ab abb"), (Ids{6, 4, 7, 1}));
    EXPECT_EQ(tokenizer->encode(" \u00a0a\n"), (Ids{4, 1}));
    EXPECT_EQ(tokenizer->encode("a\u2581a"), (Ids{4, 4, 1}));
}

TEST(T5Tokenizer, JoinsUnknownCharacters) {
    const auto tokenizer = make_tokenizer(t5_files(small_spiece()));
    EXPECT_EQ(tokenizer->encode("axyzb"), (Ids{4, 2, 5, 1}));
    EXPECT_EQ(tokenizer->encode("\U0001F600 x"), (Ids{3, 2, 3, 2, 1}));
}

TEST(T5Tokenizer, AppendsTheSentinels) {
    const auto tokenizer = make_tokenizer(t5_files(small_spiece()));
    EXPECT_EQ(tokenizer->vocab_size(), 108U);
    EXPECT_EQ(tokenizer->pad_id(), 0);
    EXPECT_EQ(tokenizer->max_length(), 512U);
    EXPECT_EQ(tokenizer->encode("a<extra_id_0>a<extra_id_99></s>"), (Ids{4, 107, 4, 8, 1, 1}));
    EXPECT_EQ(tokenizer->encode_padded("a a a", 3), (Ids{4, 4, 1}));
    EXPECT_EQ(tokenizer->encode_padded("a", 4), (Ids{4, 1, 0, 0}));
    test::expect_error(ErrorCode::usage, "has no room", [&] { tokenizer->encode_padded("", 0); });
}

TEST(T5Tokenizer, ShowsTokens) {
    const auto tokenizer = make_tokenizer(t5_files(small_spiece()));
    EXPECT_EQ(tokenizer->token_text(6), " ab");
    EXPECT_EQ(tokenizer->token_text(7), "bb");
    EXPECT_EQ(tokenizer->token_text(107), "<extra_id_0>");
    EXPECT_EQ(tokenizer->token_text(108), "");
    EXPECT_EQ(tokenizer->token_text(-1), "");
}

TEST(T5Tokenizer, RefusesTextThatIsNotUtf8) {
    const auto tokenizer = make_tokenizer(t5_files(small_spiece()));
    test::expect_error(ErrorCode::usage, "not valid UTF-8", [&] { tokenizer->encode("\x80"); });
}

TEST(T5Tokenizer, TakesAMegabyteInOneWord) {
    const auto tokenizer = make_tokenizer(t5_files(small_spiece()));
    constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
    EXPECT_EQ(tokenizer->encode(std::string(kMegabyte, 'b')).size(), kMegabyte / 2 + 2);
    EXPECT_EQ(tokenizer->encode(std::string(kMegabyte, 'x')).size(), 3U);
}

TEST(T5Tokenizer, RefusesDamagedModels) {
    const float infinity = std::numeric_limits<float>::infinity();
    const std::string trie_to_nowhere("\x04\0\0\0\0\xFC\xFF\x7F", 8);
    const std::vector<std::pair<std::string, std::string>> all{
        {"", "none for unknown characters"},
        {"text", "not a SentencePiece model"},
        {"\x0A\x7F", "not a SentencePiece model"},
        {std::string(20, '\xFF'), "not a SentencePiece model"},
        {small_spiece() + proto_piece("", 0), "piece 8 must be UTF-8"},
        {small_spiece() + proto_piece("\xFF", 0), "piece 8 must be UTF-8"},
        {small_spiece() + proto_piece(std::string(300, 'a'), 0), "1 to 256 bytes"},
        {small_spiece() + proto_piece("c", infinity), "not a finite number"},
        {small_spiece() + proto_bytes(3, proto_bytes(2, "x")), "precompiled_charsmap"},
        {small_spiece() + proto_bytes(3, proto_bytes(2, "\xFF\xFF\xFF\xFF")), "precompiled_charsmap"},
        {small_spiece() + proto_bytes(3, proto_bytes(2, trie_to_nowhere)), "precompiled_charsmap"},
    };
    for (const auto& [content, message] : all) {
        test::expect_error(ErrorCode::model_invalid, message,
                           [text = content] { make_tokenizer(t5_files(text))->encode("a"); });
    }
}

/// A tokenizer.json whose normaliser has these rules, given as JSON.
std::string with_charsmap(const std::string& charsmap) {
    return R"({"model": {"type": "Unigram", "vocab": [["a", 0], ["b", 0], ["c", 0]]}, "normalizer": )"
           R"({"type": "Precompiled", "precompiled_charsmap": )" +
           charsmap + "}}";
}

TEST(T5Tokenizer, RefusesDamagedTokenizerJson) {
    const std::vector<std::pair<std::string, std::string>> all{
        {R"({"model": {"type": "Unigram"}})", "\"vocab\" must be an array"},
        {R"({"model": {"type": "Unigram", "vocab": [["a", 0]]}})", "none for unknown characters"},
        {R"({"model": {"type": "Unigram", "vocab": [["a"]]}})", "an entry of the vocabulary"},
        {with_charsmap("\"A===\""), "base64"},
        {with_charsmap("\"~~~~\""), "base64"},
        {with_charsmap("\"AAA\""), "base64"},
        {with_charsmap("\"AAAA\""), "precompiled_charsmap"},
        {with_charsmap("1"), "must be text"},
    };
    for (const auto& [content, message] : all) {
        TokenizerFiles files;
        files.fast = TokenizerFile{"tokenizer.json", content};
        test::expect_error(ErrorCode::model_invalid, message, [&] { make_tokenizer(files); });
    }
}

RC_GTEST_PROP(T5Tokenizer, SurvivesAnyChangedByte, (std::uint16_t place, char byte)) {
    std::string spiece =
        small_spiece() + proto_bytes(3, proto_bytes(2, std::string("\x08\0\0\0\0\x01\0\0a\0\0\0", 12)));
    spiece[place % spiece.size()] = byte;
    try {
        make_tokenizer(t5_files(spiece))->encode("ab <pad> \u2581 xyz");
    } catch (const Error& error) {
        RC_ASSERT(error.code() == ErrorCode::model_invalid);
    }
}

}  // namespace
}  // namespace gass
