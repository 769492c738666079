#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "text/tokenizer_samples.h"

#include <fmt/format.h>

#include <algorithm>

namespace gass {
namespace {

using test::Ids;

/// The embedded vocabulary with another tokenizer_config.json and no other settings.
std::unique_ptr<Tokenizer> with_config(const std::string& config) {
    TokenizerFiles files = test::embedded_files();
    files.config = TokenizerFile{"tokenizer_config.json", config};
    files.special_tokens_map.reset();
    return make_tokenizer(files);
}

TEST(LoadTokenizer, NamesWhatIsMissing) {
    const test::TemporaryFolder folder;
    test::expect_error(ErrorCode::model_not_found, "no tokenizer here",
                       [&] { load_tokenizer(ModelFolder(folder.path())); });
    folder.write("vocab.json", "{}");
    test::expect_error(ErrorCode::model_not_found, "merges.txt] the file is missing",
                       [&] { load_tokenizer(ModelFolder(folder.path())); });
    folder.write("tokenizer_config.json", R"({"tokenizer_class": "T5Tokenizer"})");
    test::expect_error(ErrorCode::model_not_found, "spiece.model] the file is missing",
                       [&] { load_tokenizer(ModelFolder(folder.path())); });
    std::filesystem::remove(folder / "vocab.json");
    folder.write("tokenizer_config.json", R"({"tokenizer_class": "CLIPTokenizerFast"})");
    test::expect_error(ErrorCode::model_not_found, "vocab.json] the file is missing",
                       [&] { load_tokenizer(ModelFolder(folder.path())); });
}

TEST(LoadTokenizer, ReadsTheEmbeddedFolders) {
    for (const char* name :
         {"mini-clip", "mini-unet/tokenizer", "mini-flow/tokenizer", "mini-flow/tokenizer_2", "mini-turbo/tokenizer"}) {
        const auto tokenizer = load_tokenizer(ModelFolder(std::filesystem::path(GASS_MODELS_DIR) / name));
        EXPECT_EQ(tokenizer->encode("a dog").size(), 4U) << name;
    }
}

TEST(LoadTokenizer, RefusesOtherClasses) {
    test::expect_error(ErrorCode::model_invalid, "not \"BertTokenizer\"",
                       [] { with_config(R"({"tokenizer_class": "BertTokenizer"})"); });
    test::expect_error(ErrorCode::model_invalid, "not number",
                       [] { with_config(R"({"tokenizer_class": 1})"); });
}

TEST(TokenizerSettings, ReadsTheLength) {
    EXPECT_EQ(with_config("{}")->max_length(), 77U);
    EXPECT_EQ(with_config(R"({"model_max_length": 1000000000000000019884624838656})")->max_length(), 77U);
    EXPECT_EQ(with_config(R"({"model_max_length": 1e30})")->max_length(), 77U);
    EXPECT_EQ(with_config(R"({"model_max_length": 40})")->max_length(), 40U);
    for (const char* wrong : {"\"x\"", "-1", "0", "1", "[]"}) {
        test::expect_error(ErrorCode::model_invalid, "\"model_max_length\" must be a number",
                           [&] { with_config(fmt::format(R"({{"model_max_length": {}}})", wrong)); });
    }
}

TEST(TokenizerSettings, RefusesWhatItDoesNotSupport) {
    const std::vector<std::pair<std::string, std::string>> all{
        {R"([])", "must be an object"},
        {R"({"padding_side": "left"})", "\"padding_side\" must be \"right\""},
        {R"({"truncation_side": 3})", "\"truncation_side\" must be \"right\""},
        {R"({"split_special_tokens": true})", "not supported"},
        {R"({"eos_token": null})", "\"eos_token\" must not be null"},
        {R"({"eos_token": ""})", "\"eos_token\" must not be empty"},
        {R"({"eos_token": 7})", "must be text or an object"},
        {R"({"eos_token": {"content": "x", "lstrip": 1}})", "\"lstrip\" of a token must be true or false"},
        {R"({"added_tokens_decoder": []})", "\"added_tokens_decoder\" must be an object"},
        {R"({"added_tokens_decoder": {"x": {"content": "a"}}})", "is not a token's id"},
        {R"({"added_tokens_decoder": {"1": "a"}})", "expected a JSON object"},
        {R"({"extra_special_tokens": {"a": "b"}})", "must be an array"},
        {fmt::format(R"({{"pad_token": "{}"}})", std::string(300, 'x')), "longer than 256 bytes"},
    };
    for (const auto& [config, message] : all) {
        test::expect_error(ErrorCode::model_invalid, message, [&, text = config] { with_config(text); });
    }
}

TEST(TokenizerSettings, TreatsAnExclamationMarkAsPaddingIfToldSo) {
    TokenizerFiles files = test::embedded_files();
    EXPECT_EQ(make_tokenizer(files)->encode("dog!"), (Ids{3512, 536, 256, 3513}));
    files.special_tokens_map = TokenizerFile{"special_tokens_map.json", R"({"pad_token": "!"})"};
    const auto tokenizer = make_tokenizer(files);
    EXPECT_EQ(tokenizer->pad_id(), 0);
    EXPECT_EQ(tokenizer->encode("dog!"), (Ids{3512, 536, 0, 3513}));
}

TEST(TokenizerSettings, GivesNewTokensTheNextIds) {
    const auto tokenizer = with_config(R"({"pad_token": "[PAD]", "extra_special_tokens": ["<a>"]})");
    EXPECT_EQ(tokenizer->pad_id(), 3514);
    EXPECT_EQ(tokenizer->vocab_size(), 3516U);
    EXPECT_EQ(tokenizer->encode("<a>[PAD]"), (Ids{3512, 3515, 3514, 3513}));
    EXPECT_EQ(tokenizer->token_text(3515), "<a>");
}

TEST(TokenizerSettings, HonoursTheFlagsOfAToken) {
    const auto tokenizer = with_config(R"({"added_tokens_decoder": {
        "9": {"content": "Cat", "single_word": true, "normalized": true},
        "10": {"content": "<x>", "lstrip": true, "rstrip": true, "normalized": false, "special": true}}})");
    const std::int32_t cat = 3514;
    const std::int32_t x = 3515;
    EXPECT_EQ(tokenizer->encode("CAT <x>  <x>"), (Ids{3512, cat, x, x, 3513}));
    EXPECT_EQ(tokenizer->encode("<X>").size(), 5U);
    const Ids joined = tokenizer->encode("cats");
    EXPECT_EQ(std::count(joined.begin(), joined.end(), cat), 0);
}

}  // namespace
}  // namespace gass
