#include "catalog/fingerprint.h"

#include "catalog/verify.h"
#include "support/safetensors_bytes.h"
#include "support/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace gass {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;
using test::safetensors_bytes;
using test::TemporaryFolder;

std::string fingerprint_of(const fs::path& path, std::string_view variant = {}) {
    return fingerprint(open_model({path.string(), ModelSource::folder, path, {}}, variant));
}

std::string two_floats(std::string_view second_bytes) {
    return safetensors_bytes(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                             R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                             "1234" + std::string(second_bytes));
}

constexpr const char* kIndex =
    R"({"_class_name":"P","unet":["diffusers","UNet"],"tokenizer":["transformers","CLIPTokenizer"],
        "scheduler":["diffusers","DDIMScheduler"]})";

void write_whole_pipeline(const TemporaryFolder& folder) {
    folder.write("model_index.json", kIndex);
    folder.write("unet/config.json", R"({"layers":2})");
    folder.write("unet/diffusion_pytorch_model.safetensors", two_floats("5678"));
    folder.write("tokenizer/vocab.json", R"({"a":0})");
    folder.write("scheduler/scheduler_config.json", R"({"beta":1})");
}

TEST(Fingerprint, IsThatOfTheContentNotOfThePlace) {
    const TemporaryFolder first;
    const TemporaryFolder second;
    write_whole_pipeline(first);
    fs::copy(first.path(), second / "elsewhere", fs::copy_options::recursive);
    const std::string expected = fingerprint_of(first.path());
    EXPECT_THAT(expected, testing::MatchesRegex("[0-9a-f]{32}"));
    EXPECT_EQ(fingerprint_of(second / "elsewhere"), expected);

    const fs::path weights = second / "elsewhere/unet/diffusion_pytorch_model.safetensors";
    fs::last_write_time(weights, fs::file_time_type::clock::now() - std::chrono::hours(24));
    EXPECT_EQ(fingerprint_of(second / "elsewhere"), expected);
    fs::rename(weights, second / "elsewhere/unet/diffusion_pytorch_model.fp16.safetensors");
    EXPECT_EQ(fingerprint_of(second / "elsewhere", "fp16"), expected);
}

TEST(Fingerprint, IsTheSameHoweverTheWeightsAreSpread) {
    const TemporaryFolder folder;
    write_whole_pipeline(folder);
    const std::string expected = fingerprint_of(folder.path());
    fs::remove(folder / "unet/diffusion_pytorch_model.safetensors");
    folder.write("unet/diffusion_pytorch_model.safetensors.index.json",
                 R"({"weight_map":{"a":"two.safetensors","b":"one.safetensors"}})");
    folder.write("unet/one.safetensors",
                 safetensors_bytes(R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "5678"));
    folder.write("unet/two.safetensors",
                 safetensors_bytes(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "1234"));
    EXPECT_EQ(fingerprint_of(folder.path()), expected);
}

TEST(Fingerprint, ChangesWithAnythingThatMatters) {
    const auto changed = [](const char* file, const std::string& content) {
        const TemporaryFolder folder;
        write_whole_pipeline(folder);
        const std::string before = fingerprint_of(folder.path());
        folder.write(file, content);
        EXPECT_NE(fingerprint_of(folder.path()), before) << file;
    };
    changed("unet/diffusion_pytorch_model.safetensors", two_floats("5679"));  // one bit
    changed("unet/diffusion_pytorch_model.safetensors",
            safetensors_bytes(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "12345678"));
    changed("unet/config.json", R"({"layers":3})");
    changed("scheduler/scheduler_config.json", R"({"beta":2})");
    changed("tokenizer/vocab.json", R"({"b":0})");
    changed("tokenizer/merges.txt", "");
    changed("model_index.json",
            R"({"_class_name":"P","unet":["diffusers","UNet"],"tokenizer":["transformers","CLIPTokenizer"],
                "scheduler":["diffusers","EulerScheduler"]})");
}

constexpr const char* kPieces = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ncat\n##s\n";

TEST(Fingerprint, OfASingleNetworkHasItsVocabulary) {
    const TemporaryFolder folder;
    folder.write("config.json", R"({"architectures":["ImageReward"]})");
    folder.write("model.safetensors", two_floats("\0\0\0\0"sv));
    const std::string bare = fingerprint_of(folder.path());
    EXPECT_EQ(bare, "4224b1bc047391fae4bbb1433e4f3013");  // as ever, for a folder without one
    folder.write("tokenizer_config.json", "{}");
    EXPECT_EQ(fingerprint_of(folder.path()), bare);  // of no tokenizer
    std::vector<std::string> seen{bare};
    const auto changes = [&](const char* file, const std::string& content) {
        folder.write(file, content);
        const std::string now = fingerprint_of(folder.path());
        EXPECT_THAT(seen, testing::Not(testing::Contains(now))) << file << ": " << content;
        seen.push_back(now);
    };
    changes("vocab.txt", kPieces);
    changes("vocab.txt", std::string(kPieces) + "dog\n");
    changes("tokenizer_config.json", R"({"tokenizer_class":"BertTokenizer"})");
    changes("tokenizer.json", "{}");
    changes("vocab.txt", kPieces);
}

TEST(Verify, ReadsTheVocabularyOfASingleNetwork) {
    const TemporaryFolder folder;
    folder.write("config.json", R"({"architectures":["ImageReward"]})");
    folder.write("model.safetensors", two_floats("\0\0\0\0"sv));
    folder.write("vocab.txt", kPieces);
    folder.write("tokenizer_config.json", R"({"tokenizer_class":"BertTokenizer"})");
    const auto problems = [&] {
        return verify_model({"x", ModelSource::folder, folder.path(), {}}).problems;
    };
    EXPECT_THAT(problems(), testing::IsEmpty());
    folder.write("tokenizer.json", "{}");  // as bert-base-uncased has beside it
    EXPECT_THAT(problems(), testing::IsEmpty());
    folder.write("vocab.txt", "cat\n");
    EXPECT_THAT(problems(), testing::ElementsAre(testing::HasSubstr("vocab.txt")));
}

TEST(Fingerprint, EmbeddedModelsDiffer) {
    const auto of = [](const char* name) { return fingerprint(open_model(find_model(name))); };
    EXPECT_NE(of("mini-flow"), of("mini-unet"));
    EXPECT_EQ(of("mini-flow"), of("mini-flow"));
}

}  // namespace
}  // namespace gass
