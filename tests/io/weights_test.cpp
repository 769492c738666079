#include "io/weights.h"

#include "support/expect_error.h"
#include "support/safetensors_bytes.h"
#include "support/temporary_folder.h"

namespace gass {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::safetensors_bytes;
using test::TemporaryFolder;

/// A file with one-byte tensors of these names.
std::string file_with(const std::vector<std::string>& names) {
    Json header = Json::object();
    for (std::size_t i = 0; i < names.size(); ++i) {
        header[names[i]] = {{"dtype", "U8"}, {"shape", {1}}, {"data_offsets", {i, i + 1}}};
    }
    return safetensors_bytes(header.dump(), std::string(names.size(), 'x'));
}

Weights open(const TemporaryFolder& folder, std::string_view variant = {}) {
    return Weights::open(ModelFolder(folder.path()), variant);
}

TEST(Weights, OneFile) {
    const TemporaryFolder folder;
    folder.write("model.safetensors", file_with({"a", "b"}));
    const Weights weights = open(folder);
    EXPECT_EQ(weights.entries().size(), 2U);
    EXPECT_EQ(weights.parameter_count(), 2U);
    EXPECT_NE(weights.find("b"), nullptr);
    EXPECT_EQ(weights.find("c"), nullptr);
}

TEST(Weights, AVariantIsTakenWhereItExists) {
    const TemporaryFolder folder;
    folder.write("diffusion_pytorch_model.safetensors", file_with({"plain"}));
    EXPECT_FALSE(open(folder, "fp16").has_variant());
    EXPECT_NE(open(folder, "fp16").find("plain"), nullptr);
    folder.write("diffusion_pytorch_model.fp16.safetensors", file_with({"half"}));
    EXPECT_TRUE(open(folder, "fp16").has_variant());
    EXPECT_NE(open(folder, "fp16").find("half"), nullptr);
    EXPECT_NE(open(folder).find("plain"), nullptr);
}

TEST(Weights, MissingWeightsAreExplained) {
    const TemporaryFolder folder;
    const auto refused = [&](const char* part) {
        expect_error(ErrorCode::model_not_found, part, [&] { open(folder); });
    };
    refused("expected diffusion_pytorch_model.safetensors or model.safetensors");
    folder.write("pytorch_model.bin", "x");
    refused("only pickle files");
    folder.write("model.fp16.safetensors", file_with({"a"}));
    refused("add `variant` fp16");
}

TEST(Weights, ShardsMustAgreeWithTheirIndex) {
    const TemporaryFolder folder;
    const auto index = [&](const char* map) {
        folder.write("model.safetensors.index.json",
                     std::string(R"({"metadata":{"total_size":2},"weight_map":)") + map + "}");
    };
    folder.write("s1.safetensors", file_with({"a"}));
    folder.write("s2.safetensors", file_with({"b", "c"}));
    index(R"({"a":"s1.safetensors","b":"s2.safetensors","c":"s2.safetensors"})");
    EXPECT_EQ(open(folder).entries().size(), 3U);
    EXPECT_EQ(open(folder).find("c")->file->path().filename(), "s2.safetensors");

    const auto refused = [&](const char* map, ErrorCode code, const char* part) {
        index(map);
        expect_error(code, part, [&] { open(folder); });
    };
    refused(R"({"a":"s1.safetensors","b":"s2.safetensors"})", ErrorCode::model_invalid,
            "holds 2 tensors, the index names 1");
    refused(R"({"a":"s1.safetensors","x":"s1.safetensors"})", ErrorCode::model_invalid,
            "\"x\" is not in \"s1.safetensors\"");
    refused(R"({"a":"s9.safetensors"})", ErrorCode::model_not_found,
            "the shard \"s9.safetensors\" is missing");
    refused(R"({"a":"../s1.safetensors"})", ErrorCode::model_invalid, "must be a file beside the index");
    refused(R"({"a":"/etc/passwd"})", ErrorCode::model_invalid, "must be a file beside the index");
    refused(R"({"a":""})", ErrorCode::model_invalid, "must be a file beside the index");
    refused(R"({"a":3})", ErrorCode::model_invalid, "must be a file name");
    refused("{}", ErrorCode::model_invalid, "weight_map must list");
    refused("[]", ErrorCode::model_invalid, "weight_map must list");
    folder.write("s3.safetensors", file_with({"a"}));
    refused(R"({"a":"s1.safetensors","b":"s3.safetensors"})", ErrorCode::model_invalid,
            "is in another shard too");
    fs::create_symlink("/etc/hostname", folder / "s4.safetensors");
    refused(R"({"a":"s4.safetensors"})", ErrorCode::model_invalid, "leads out of the model folder");
}

TEST(Weights, ShardsAsTransformersWritesThem) {
    for (const char* variant : {"", "fp16"}) {
        const Weights sharded = Weights::open(ModelFolder(GASS_FIXTURES_DIR "/tensors/sharded"), variant);
        const Weights single = Weights::open(ModelFolder(GASS_FIXTURES_DIR "/tensors/single"));
        EXPECT_EQ(sharded.has_variant(), *variant != '\0');
        EXPECT_GT(sharded.files().size(), 1U);
        ASSERT_EQ(sharded.entries().size(), single.entries().size());
        for (const Weights::Entry& entry : single.entries()) {
            ASSERT_NE(sharded.find(entry.tensor->name), nullptr) << entry.tensor->name;
            EXPECT_EQ(sharded.find(entry.tensor->name)->tensor->shape, entry.tensor->shape);
        }
    }
}

}  // namespace
}  // namespace gass
