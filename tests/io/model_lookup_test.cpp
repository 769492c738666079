#include "io/model_lookup.h"

#include "support/expect_error.h"
#include "support/temporary_folder.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace gass {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::TemporaryFolder;

/// Sets or clears a variable for one test.
class Environment {
  public:
    Environment(const char* name, const std::optional<std::string>& value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old;
        set(value);
    }
    ~Environment() { set(old_); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

  private:
    void set(const std::optional<std::string>& value) {
        if (value) {
            ::setenv(name_, value->c_str(), 1);
        } else {
            ::unsetenv(name_);
        }
    }
    const char* name_;
    std::optional<std::string> old_;
};

const std::string kCommit(40, 'a');

void write_cached_model(const TemporaryFolder& folder, const std::string& repository) {
    folder.write(repository + "/refs/main", kCommit + "\n");
    folder.write(repository + "/snapshots/" + kCommit + "/model_index.json", "{}");
}

TEST(ModelLookup, EmbeddedModelsAreFoundFromAnywhere) {
    const TemporaryFolder folder;
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    const ModelLocation found = find_model("mini-flow");
    EXPECT_EQ(found.source, ModelSource::embedded);
    EXPECT_TRUE(fs::exists(found.path / "model_index.json"));
    // A folder of the same name does not hide it; "./" reaches the folder.
    fs::create_directory("mini-flow");
    EXPECT_EQ(find_model("mini-flow").source, ModelSource::embedded);
    EXPECT_EQ(find_model("./mini-flow").source, ModelSource::folder);
    fs::current_path(before);
    const auto models = list_models();
    for (const char* name : {"mini-clip", "mini-flow", "mini-judge", "mini-turbo", "mini-unet"}) {
        EXPECT_TRUE(
            std::any_of(models.begin(), models.end(), [&](const auto& model) { return model.name == name; }));
    }
}

TEST(ModelLookup, TheHuggingFaceCacheIsFoundByItsVariables) {
    const Environment no_hub("HF_HUB_CACHE", std::nullopt);
    const Environment no_old("HUGGINGFACE_HUB_CACHE", std::nullopt);
    const Environment no_hf("HF_HOME", std::nullopt);
    const Environment no_xdg("XDG_CACHE_HOME", std::nullopt);
    const Environment home("HOME", "/h");
    EXPECT_EQ(hf_cache_folder(), "/h/.cache/huggingface/hub");
    const Environment xdg("XDG_CACHE_HOME", "/x");
    EXPECT_EQ(hf_cache_folder(), "/x/huggingface/hub");
    const Environment hf("HF_HOME", "/f");
    EXPECT_EQ(hf_cache_folder(), "/f/hub");
    const Environment old("HUGGINGFACE_HUB_CACHE", "/o");
    EXPECT_EQ(hf_cache_folder(), "/o");
    const Environment hub("HF_HUB_CACHE", "/c");
    EXPECT_EQ(hf_cache_folder(), "/c");
}

TEST(ModelLookup, ARepositoryIsFoundInTheCache) {
    const TemporaryFolder folder;
    const Environment cache("HF_HUB_CACHE", folder.path().string());
    write_cached_model(folder, "models--org--name");
    const ModelLocation found = find_model("org/name");
    EXPECT_EQ(found.source, ModelSource::hf_cache);
    EXPECT_EQ(found.revision, kCommit);
    EXPECT_EQ(found.path, folder / ("models--org--name/snapshots/" + kCommit));
    EXPECT_EQ(list_models().back().name, "org/name");

    expect_error(ErrorCode::model_not_found, "has no snapshot of it", [] { find_model("org/absent"); });
    folder.write("models--org--bad/refs/main", "../../../etc");
    expect_error(ErrorCode::model_invalid, "40 hexadecimal digits", [] { find_model("org/bad"); });
    EXPECT_EQ(list_models().back().name, "org/name");
}

TEST(ModelLookup, ANameCannotLeaveTheCache) {
    const TemporaryFolder folder;
    const Environment cache("HF_HUB_CACHE", (folder / "cache").string());
    write_cached_model(folder, "models--evil");
    for (const char* name : {"..", "../models--evil", "org/../x", "a/b/c", "", "/", "org/", "-",
                             "mini-flow/../../x", ".hidden/x"}) {
        if (fs::is_directory(name)) continue;  // ".." is a folder, and that is fine
        expect_error(ErrorCode::model_not_found, "no model", [&] { find_model(name); });
    }
    expect_error(ErrorCode::model_invalid, "is a file", [&] { find_model(folder.write("f", "").string()); });
}

}  // namespace
}  // namespace gass
