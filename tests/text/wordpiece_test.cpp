#include "text/wordpiece.h"

#include "support/expect_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace gass {
namespace {

using ::testing::ElementsAre;

// [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, a 4, ##a 5, ! 6, dog 7, ##s 8
constexpr const char* kVocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n##a\n!\ndog\n##s\n";

std::unique_ptr<Tokenizer> make(std::string vocabulary, std::string config = {}) {
    TokenizerFiles files;
    if (!config.empty()) files.config = TokenizerFile{"tokenizer_config.json", std::move(config)};
    return std::make_unique<WordPieceTokenizer>(files, TokenizerFile{"vocab.txt", std::move(vocabulary)});
}

TEST(WordPiece, CutsWordsIntoTheLongestPieces) {
    const auto tokenizer = make(kVocabulary);
    EXPECT_THAT(tokenizer->encode("Dogs!"), ElementsAre(2, 7, 8, 6, 3));
    EXPECT_THAT(tokenizer->encode("áA cat"), ElementsAre(2, 4, 5, 1, 3));
    EXPECT_THAT(tokenizer->encode("dog [SEP]"), ElementsAre(2, 7, 3, 3));
    EXPECT_THAT(tokenizer->encode_padded("dogs", 6), ElementsAre(2, 7, 8, 3, 0, 0));
    EXPECT_THAT(tokenizer->encode_padded("dogs dogs", 4), ElementsAre(2, 7, 8, 3));
    EXPECT_EQ(tokenizer->max_length(), 512U);
}

TEST(WordPiece, ShowsItsTokens) {
    const auto tokenizer = make(kVocabulary);
    EXPECT_EQ(tokenizer->token_text(7), " dog");
    EXPECT_EQ(tokenizer->token_text(8), "s");
    EXPECT_EQ(tokenizer->token_text(3), "[SEP]");
    EXPECT_EQ(tokenizer->token_text(-1), "");
    EXPECT_EQ(tokenizer->token_text(1000), "");
}

TEST(WordPiece, LongTextsTakeLinearTime) {
    const auto tokenizer = make(kVocabulary);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(tokenizer->encode(std::string(1U << 20U, 'a')), ElementsAre(2, 1, 3));
    std::string words;
    for (int i = 0; i < 10'000; ++i) words += std::string(99, 'a') + "b ";
    EXPECT_EQ(tokenizer->encode(words).size(), 10'002U);
    std::string marks = "a";
    for (int i = 0; i < 500'000; ++i) marks += i % 2 == 0 ? "\u0301" : "\u0323";
    EXPECT_THAT(tokenizer->encode(marks), ElementsAre(2, 4, 3));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(WordPiece, RefusesHostileFiles) {
    test::expect_error(ErrorCode::model_invalid, "[UNK]", [] { make(""); });
    test::expect_error(ErrorCode::model_invalid, "[UNK]", [] { make("dog\ncat"); });
    test::expect_error(ErrorCode::model_invalid, "UTF-8", [] { make("[UNK]\n\xFF\n"); });
    test::expect_error(ErrorCode::model_invalid, "do_lower_case",
                       [] { make(kVocabulary, R"({"do_lower_case": false})"); });
    test::expect_error(ErrorCode::model_invalid, "cls_token",
                       [] { make(kVocabulary, R"({"cls_token": ""})"); });
    test::expect_error(ErrorCode::usage, "UTF-8", [] { make(kVocabulary)->encode("\xC3"); });
}

}  // namespace
}  // namespace gass
