#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

enum class ModelSource { embedded, folder, hf_cache };
std::string_view to_string(ModelSource source) noexcept;

/// Where a model was found.
struct ModelLocation {
    std::string name;  // as the user writes it: "mini-flow", "org/name" or a path
    ModelSource source = ModelSource::folder;
    std::filesystem::path path;
    std::string revision;  // the commit, for the Hugging Face cache
};

/// Finds a model by name: an embedded one, a folder, or a repository in the Hugging Face cache, in this
/// order. A folder that is called like an embedded model is reached as "./NAME". Nothing is downloaded.
/// Throws model_not_found with the places that were looked at; names of `others`, which the caller knows,
/// may be what was meant.
ModelLocation find_model(std::string_view name, const std::vector<std::string>& others = {});

/// Every embedded model and every readable snapshot in the Hugging Face cache.
std::vector<ModelLocation> list_models();

/// The folder of this program or library.
std::filesystem::path program_folder();

/// The folder with our own data (models, presets, suites): GASS_DATA_DIR, or share/gass beside the folder of
/// this program or library, in the build tree and when installed alike.
std::filesystem::path data_folder();

/// The JSON files in a folder of it, "presets" for instance, by name.
std::vector<std::filesystem::path> data_files(std::string_view folder);

/// The Hugging Face cache's folder, by its own environment variables; it need not exist.
std::filesystem::path hf_cache_folder();

}  // namespace gass
