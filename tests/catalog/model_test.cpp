#include "catalog/model.h"

#include "catalog/verify.h"
#include "support/expect_error.h"
#include "support/safetensors_bytes.h"
#include "support/temporary_folder.h"

#include <limits>

namespace gass {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::safetensors_bytes;
using test::TemporaryFolder;

std::string one_float(float value) {
    return safetensors_bytes(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                             std::string_view(reinterpret_cast<const char*>(&value), sizeof(value)));
}

/// A pipeline of one network and one scheduler.
void write_pipeline(const TemporaryFolder& folder) {
    folder.write("model_index.json",
                 R"({"_class_name":"P","requires_safety_checker":false,"safety_checker":["x","y"],
        "text_encoder_3":[null,null],"unet":["diffusers","UNet"],"scheduler":["diffusers","DDIMScheduler"]})");
    folder.write("unet/config.json", "{}");
    folder.write("unet/diffusion_pytorch_model.safetensors", one_float(1));
    folder.write("scheduler/scheduler_config.json", "{}");
}

ModelLocation at(const fs::path& path) {
    return {path.string(), ModelSource::folder, path, {}};
}

TEST(Model, OpensAPipeline) {
    const TemporaryFolder folder;
    write_pipeline(folder);
    const Model model = open_model(at(folder.path()));
    EXPECT_EQ(model.class_name, "P");
    ASSERT_EQ(model.components.size(), 2U);
    EXPECT_EQ(model.find("unet")->weights->parameter_count(), 1U);
    EXPECT_EQ(model.find("scheduler")->kind, ComponentKind::scheduler);
    EXPECT_EQ(model.find("safety_checker"), nullptr);
    EXPECT_TRUE(verify_model(at(folder.path())).ok());
    expect_error(ErrorCode::model_not_found, "variant \"fp16\"",
                 [&] { open_model(at(folder.path()), "fp16"); });
}

TEST(Model, RefusesABrokenIndex) {
    const TemporaryFolder folder;
    const auto refused = [&](const char* index, ErrorCode code, const char* part) {
        folder.write("model_index.json", index);
        expect_error(code, part, [&] { open_model(at(folder.path())); });
        EXPECT_FALSE(verify_model(at(folder.path())).ok());
    };
    expect_error(ErrorCode::model_invalid, "not a model", [&] { open_model(at(folder.path())); });
    refused("{}", ErrorCode::model_invalid, "\"_class_name\" is missing");
    refused(R"({"_class_name":"P"})", ErrorCode::model_invalid, "names no components");
    refused(R"({"_class_name":"P","unet":["a"]})", ErrorCode::model_invalid, "a pair of library and class");
    refused(R"({"_class_name":"P","unet":["a",1]})", ErrorCode::model_invalid, "a pair of library and class");
    refused(R"({"_class_name":"P","unet":["a","b"]})", ErrorCode::model_not_found, "its folder is missing");
    refused(R"({"_class_name":"P","../unet":["a","b"]})", ErrorCode::model_invalid,
            "cannot be a component's name");
    refused(R"({"_class_name":"P","..":["a","b"]})", ErrorCode::model_invalid,
            "cannot be a component's name");
}

TEST(Model, GassJsonIsChecked) {
    const TemporaryFolder folder;
    write_pipeline(folder);
    folder.write("gass.json", R"({"defaults":{"steps":28,"max_sequence_length":24},"guide":"mini-clip"})");
    const Model model = open_model(at(folder.path()));
    EXPECT_EQ(model.defaults.settings["steps"], 28);
    EXPECT_EQ(model.defaults.guide, "mini-clip");
    EXPECT_TRUE(verify_model(at(folder.path())).ok());

    const auto refused = [&](const char* text, const char* part) {
        folder.write("gass.json", text);
        expect_error(ErrorCode::model_invalid, part, [&] { open_model(at(folder.path())); });
    };
    refused(R"({"default":{}})", "unknown key \"default\"");
    refused(R"({"defaults":{"stepz":1}})", "unknown setting \"stepz\"");
    refused(R"({"defaults":{"steps":-1}})", "expected 1 to 1000");
    refused(R"({"guide":3})", "must be a string");
    folder.write("gass.json", R"({"guide":"no-such-model"})");
    EXPECT_THAT(verify_model(at(folder.path())).problems,
                ::testing::ElementsAre(::testing::HasSubstr("no-such-model")));
}

TEST(Verify, FindsValuesThatAreNotNumbers) {
    const TemporaryFolder folder;
    write_pipeline(folder);
    folder.write("unet/diffusion_pytorch_model.safetensors",
                 one_float(std::numeric_limits<float>::quiet_NaN()));
    const Verification result = verify_model(at(folder.path()));
    EXPECT_THAT(result.problems,
                ::testing::ElementsAre(::testing::HasSubstr("\"w\": 1 of 1 values are NaN")));
}

TEST(Verify, ShowsEveryProblemInOneRun) {
    const TemporaryFolder folder;
    write_pipeline(folder);
    folder.write("unet/config.json", "{");
    folder.write("extra/broken.safetensors", "x");
    fs::create_symlink("/etc/hostname", folder / "unet/out.txt");
    fs::create_directory(folder / "folder.safetensors");
    const Verification result = verify_model(at(folder.path()));
    EXPECT_THAT(result.problems, ::testing::UnorderedElementsAre(::testing::HasSubstr("not valid JSON"),
                                                                 ::testing::HasSubstr("too short"),
                                                                 ::testing::HasSubstr("leads out"),
                                                                 ::testing::HasSubstr("found a folder")));
}

TEST(Verify, TheEmbeddedModelsAreSound) {
    for (const char* name : {"mini-clip", "mini-flow", "mini-judge", "mini-turbo", "mini-unet"}) {
        const Verification result = verify_model(find_model(name));
        EXPECT_THAT(result.problems, ::testing::IsEmpty()) << name;
        EXPECT_GT(result.parameters, 4'000'000U) << name;
    }
}

}  // namespace
}  // namespace gass
