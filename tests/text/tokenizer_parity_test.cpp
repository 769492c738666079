// Every text of tools/reference/tokenizer_fixtures.py must give the ids that transformers gave it.

#include "core/json.h"
#include "core/quote.h"
#include "io/file.h"
#include "text/tokenizer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gass {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<std::int32_t>;

const fs::path& fixtures() {
    static const fs::path folder = fs::path(GASS_FIXTURES_DIR) / "tokenizers";
    return folder;
}

const Json& cases() {
    static const Json parsed = [] {
        const fs::path file = fixtures() / "cases.json";
        return parse_json(read_text_file(file, std::size_t{256} << 20U), file.string());
    }();
    return parsed;
}

/// Collects differences and shows the first few.
class Differences {
  public:
    void compare(const std::string& text, const Ids& ours, const Ids& expected) {
        ++compared_;
        if (ours == expected) return;
        if (++found_ <= 5) {
            shown_ +=
                fmt::format("{}\n  transformers {}\n  ours         {}\n", in_quotes(text), expected, ours);
        }
    }

    void report(const std::string& folder) const {
        EXPECT_GT(compared_, 0U) << folder;
        EXPECT_EQ(found_, 0U) << folder << ": " << found_ << " of " << compared_ << " texts differ\n"
                              << shown_;
    }

  private:
    std::size_t compared_ = 0;
    std::size_t found_ = 0;
    std::string shown_;
};

void check_folder(const Json& expected) {
    const auto folder = expected.at("folder").get<std::string>();
    SCOPED_TRACE(folder);
    const auto tokenizer = load_tokenizer(ModelFolder(fixtures() / folder));
    EXPECT_EQ(tokenizer->pad_id(), expected.at("pad_id").get<std::int32_t>());
    EXPECT_EQ(tokenizer->vocab_size(), expected.at("vocab_size").get<std::size_t>());
    const auto max_length = expected.at("max_length").get<std::size_t>();
    const std::size_t otherwise = folder.starts_with("clip") ? 77 : 512;
    EXPECT_EQ(tokenizer->max_length(), max_length < 1'000'000 ? max_length : otherwise);

    Differences whole;
    const Json& texts = cases().at("texts");
    const Json& more_texts = cases().at("code_point_texts");
    const Json& ids = expected.at("ids");
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const Json& text = i < texts.size() ? texts[i] : more_texts.at(i - texts.size());
        const auto& content = text.get_ref<const std::string&>();
        whole.compare(content, tokenizer->encode(content), ids[i].get<Ids>());
    }
    whole.report(folder);

    Differences padded;
    for (const Json& one : expected.at("padded")) {
        const auto& content = one.at("text").get_ref<const std::string&>();
        const auto length = one.at("length").get<std::size_t>();
        padded.compare(content, tokenizer->encode_padded(content, length), one.at("ids").get<Ids>());
    }
    padded.report(folder + ", padded");
}

void check_kind(std::string_view prefix) {
    ASSERT_TRUE(fs::exists(fixtures() / "cases.json"))
        << "the fixtures are missing: run tools/reference/tokenizer_fixtures.py " << fixtures();
    ASSERT_GE(cases().at("texts").size(), 5000U);
    std::size_t folders = 0;
    for (const Json& expected : cases().at("tokenizers")) {
        if (!expected.at("folder").get_ref<const std::string&>().starts_with(prefix)) continue;
        ++folders;
        check_folder(expected);
    }
    EXPECT_GE(folders, 5U);
}

TEST(TokenizerParity, ClipGivesTheIdsOfTransformers) {
    check_kind("clip-");
}

TEST(TokenizerParity, T5GivesTheIdsOfTransformers) {
    check_kind("t5-");
}

}  // namespace
}  // namespace gass
