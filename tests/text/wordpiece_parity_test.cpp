// Every text of tools/reference/wordpiece_fixtures.py must give the ids that transformers gave it.

#include "core/json.h"
#include "core/quote.h"
#include "io/file.h"
#include "text/wordpiece.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace gass {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<std::int32_t>;

Json read_cases(const fs::path& file) {
    return parse_json(read_text_file(file, std::size_t{256} << 20U), file.string());
}

TEST(WordPieceParity, GivesTheIdsOfTransformers) {
    const fs::path folder = fs::path(GASS_FIXTURES_DIR) / "wordpiece";
    const Json cases = read_cases(folder / "cases.json");
    const Json& texts = cases.at("texts");
    ASSERT_GE(texts.size(), 5000U);
    for (const Json& expected : cases.at("tokenizers")) {
        const auto name = expected.at("folder").get<std::string>();
        const auto tokenizer = load_wordpiece(ModelFolder(folder / name));
        EXPECT_EQ(tokenizer->pad_id(), expected.at("pad_id").get<std::int32_t>()) << name;
        EXPECT_EQ(tokenizer->vocab_size(), expected.at("vocab_size").get<std::size_t>()) << name;
        std::size_t differences = 0;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const auto& text = texts[i].get_ref<const std::string&>();
            const Ids ours = tokenizer->encode(text);
            const auto theirs = expected.at("ids").at(i).get<Ids>();
            if (ours == theirs || ++differences > 5) continue;
            ADD_FAILURE() << fmt::format("{}: {}\n  transformers {}\n  ours         {}", name,
                                         in_quotes(text), theirs, ours);
        }
        EXPECT_EQ(differences, 0U) << name;
        for (const Json& one : expected.at("padded")) {
            const auto& text = one.at("text").get_ref<const std::string&>();
            const auto length = one.at("length").get<std::size_t>();
            EXPECT_EQ(tokenizer->encode_padded(text, length), one.at("ids").get<Ids>())
                << name << ": " << text;
            EXPECT_EQ(std::min(tokenizer->encode(text).size(), length), one.at("used").get<std::size_t>());
        }
    }
}

}  // namespace
}  // namespace gass
