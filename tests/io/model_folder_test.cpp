#include "io/model_folder.h"

#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace gass {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::TemporaryFolder;

TEST(ModelFolder, OpensWhatLiesInside) {
    const TemporaryFolder folder;
    folder.write("m/config.json", R"({"a":1})");
    folder.write("m/unet/config.json", "{}");
    const ModelFolder model(folder / "m");
    EXPECT_EQ(model.file("config.json"), folder / "m/config.json");
    EXPECT_EQ(model.json("config.json")["a"], 1);
    EXPECT_EQ(model.subfolder("unet").file("config.json"), folder / "m/unet/config.json");
    EXPECT_TRUE(model.has("unet"));
    EXPECT_FALSE(model.has("vae"));
    expect_error(ErrorCode::model_not_found, "is missing", [&] { model.file("absent"); });
    expect_error(ErrorCode::model_invalid, "expected a folder", [&] { model.subfolder("config.json"); });
    expect_error(ErrorCode::model_not_found, "cannot open the folder",
                 [&] { ModelFolder(folder / "absent"); });
    expect_error(ErrorCode::model_invalid, "expected a folder",
                 [&] { ModelFolder(folder / "m/config.json"); });
}

TEST(ModelFolder, NothingLeadsOut) {
    const TemporaryFolder folder;
    folder.write("secret.json", "{}");
    folder.write("m-other/x.json", "{}");
    folder.write("m/config.json", "{}");
    folder.write("m/unet/config.json", "{}");
    fs::create_symlink("../secret.json", folder / "m/out.json");
    fs::create_symlink(folder / "secret.json", folder / "m/absolute.json");
    fs::create_symlink("../m-other", folder / "m/sibling");
    fs::create_symlink("nowhere", folder / "m/broken.json");
    fs::create_symlink("loop.json", folder / "m/loop.json");
    fs::create_symlink("../config.json", folder / "m/unet/up.json");
    const ModelFolder model(folder / "m");
    for (const char* name :
         {"out.json", "absolute.json", "sibling/x.json", "../secret.json", "unet/../../secret.json"}) {
        expect_error(ErrorCode::model_invalid, "leads out of the model folder", [&] { model.file(name); });
    }
    expect_error(ErrorCode::model_invalid, "leads out", [&] { model.subfolder("sibling"); });
    expect_error(ErrorCode::model_invalid, "leads nowhere", [&] { model.file("broken.json"); });
    expect_error(ErrorCode::model_invalid, "leads nowhere", [&] { model.file("loop.json"); });
    // A link from a component to another place in the same model stays inside.
    EXPECT_EQ(model.subfolder("unet").file("up.json"), folder / "m/config.json");
}

TEST(ModelFolder, TheHuggingFaceCacheLinksIntoItsBlobs) {
    const TemporaryFolder folder;
    folder.write("models--a--b/blobs/123", "{}");
    folder.write("models--a--c/blobs/456", "{}");
    fs::create_directories(folder / "models--a--b/snapshots/abc/unet");
    fs::create_symlink("../../blobs/123", folder / "models--a--b/snapshots/abc/config.json");
    fs::create_symlink("../../../blobs/123", folder / "models--a--b/snapshots/abc/unet/config.json");
    fs::create_symlink("../../../models--a--c/blobs/456", folder / "models--a--b/snapshots/abc/other.json");
    const ModelFolder model(folder / "models--a--b/snapshots/abc");
    EXPECT_EQ(model.file("config.json"), folder / "models--a--b/blobs/123");
    EXPECT_EQ(model.subfolder("unet").file("config.json"), folder / "models--a--b/blobs/123");
    expect_error(ErrorCode::model_invalid, "leads out", [&] { model.file("other.json"); });
}

TEST(ModelFolder, AFileKnowsItsModel) {
    const TemporaryFolder folder;
    folder.write("m/model_index.json", "{}");
    folder.write("m/unet/config.json", "{}");
    folder.write("n/config.json", "{}");
    EXPECT_EQ(enclosing_model_folder(folder / "m/unet/x.safetensors"), folder / "m");
    EXPECT_EQ(enclosing_model_folder(folder / "m/x.safetensors"), folder / "m");
    EXPECT_EQ(enclosing_model_folder(folder / "n/x.safetensors"), folder / "n");
    EXPECT_TRUE(enclosing_model_folder(folder / "x.safetensors").empty());
}

}  // namespace
}  // namespace gass
