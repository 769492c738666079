#include "io/model_lookup.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/wording.h"
#include "io/file.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <system_error>

namespace gass {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> path_from_environment(const char* variable) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return fs::path(value);
}

bool is_model_folder(const fs::path& path) {
    std::error_code error;
    return fs::exists(path / "model_index.json", error) || fs::exists(path / "config.json", error);
}

bool is_plain_name(std::string_view name) {
    const auto allowed = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
    };
    return !name.empty() && name.size() <= 96 && name.front() != '.' &&
           name.find("..") == std::string_view::npos && name.find("--") == std::string_view::npos &&
           std::all_of(name.begin(), name.end(), allowed);
}

/// "org/name" of the Hugging Face hub; its own rules on the characters keep it from leaving the cache's
/// folder.
bool is_repository_id(std::string_view name) {
    const auto slash = name.find('/');
    return slash != std::string_view::npos && is_plain_name(name.substr(0, slash)) &&
           is_plain_name(name.substr(slash + 1));
}

bool is_commit(std::string_view text) {
    return text.size() == 40 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The snapshot that `refs/main` names. `repository` is the folder models--org--name.
std::optional<ModelLocation> cached_snapshot(const fs::path& repository, std::string_view name) {
    std::error_code error;
    if (!fs::is_regular_file(repository / "refs" / "main", error)) return std::nullopt;
    std::string commit = read_text_file(repository / "refs" / "main", 1024);
    while (!commit.empty() && std::isspace(static_cast<unsigned char>(commit.back())) != 0) commit.pop_back();
    if (!is_commit(commit)) {
        fail(ErrorCode::model_invalid, (repository / "refs" / "main").string(),
             "expected a commit of 40 hexadecimal digits, found {}", in_quotes(commit));
    }
    fs::path snapshot = repository / "snapshots" / commit;
    if (!fs::is_directory(snapshot, error)) return std::nullopt;
    return ModelLocation{std::string(name), ModelSource::hf_cache, std::move(snapshot), std::move(commit)};
}

std::vector<std::string> embedded_names() {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(data_folder() / "models", error)) {
        if (is_model_folder(entry.path())) names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

std::string_view to_string(ModelSource source) noexcept {
    switch (source) {
        case ModelSource::embedded:
            return "embedded";
        case ModelSource::folder:
            return "folder";
        case ModelSource::hf_cache:
            return "hf-cache";
    }
    return "";
}

fs::path program_folder() {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&program_folder), &info) == 0 || info.dli_fname == nullptr)
        return {};
    // dladdr knows a program by the words it was started with, which mean something else after a change of
    // folder.
    fs::path module = info.dli_fname;
    if (!module.is_absolute()) module = "/proc/self/exe";
    std::error_code error;
    return fs::canonical(module, error).parent_path();
}

fs::path data_folder() {
    if (auto given = path_from_environment("GASS_DATA_DIR")) return *given;
    return program_folder().parent_path() / "share" / "gass";
}

std::vector<fs::path> data_files(std::string_view folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(data_folder() / folder, error)) {
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::ranges::sort(files, {}, [](const fs::path& file) { return file.stem(); });
    return files;
}

fs::path hf_cache_folder() {
    for (const char* variable : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
        if (auto given = path_from_environment(variable)) return *given;
    }
    if (auto home = path_from_environment("HF_HOME")) return *home / "hub";
    if (auto cache = path_from_environment("XDG_CACHE_HOME")) return *cache / "huggingface" / "hub";
    if (auto home = path_from_environment("HOME")) return *home / ".cache" / "huggingface" / "hub";
    return {};
}

ModelLocation find_model(std::string_view name, const std::vector<std::string>& others) {
    if (is_plain_name(name) && is_model_folder(data_folder() / "models" / name)) {
        return {std::string(name), ModelSource::embedded, data_folder() / "models" / name, {}};
    }
    std::error_code error;
    const fs::file_status status = fs::status(fs::path(name), error);
    if (!name.empty() && fs::is_directory(status))
        return {std::string(name), ModelSource::folder, fs::path(name), {}};
    if (!name.empty() && fs::exists(status)) {
        fail(ErrorCode::model_invalid, "model",
             "{} is a file; a model is a folder in the diffusers or transformers layout (for a single file: "
             "gass "
             "inspect FILE)",
             in_quotes(name));
    }
    std::string repository;
    if (is_repository_id(name)) {
        repository = "models--" + std::string(name);
        repository.replace(repository.find('/'), 1, "--");
        if (auto found = cached_snapshot(hf_cache_folder() / repository, name)) return *found;
    }
    std::vector<std::string> known = others;
    for (const ModelLocation& model : list_models()) known.push_back(model.name);
    fail(ErrorCode::model_not_found, "model",
         "no model {}{}: it is not an embedded one ({}), there is no folder of that name{}. gass models list "
         "shows what "
         "is here",
         in_quotes(name), did_you_mean(name, known), fmt::join(embedded_names(), ", "),
         repository.empty() ? std::string()
                            : fmt::format(", and {} has no snapshot of it (nothing is downloaded)",
                                          (hf_cache_folder() / repository).string()));
}

std::vector<ModelLocation> list_models() {
    std::vector<ModelLocation> models;
    for (std::string& name : embedded_names()) {
        fs::path path = data_folder() / "models" / name;
        models.push_back({std::move(name), ModelSource::embedded, std::move(path), {}});
    }
    const std::size_t embedded = models.size();
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(hf_cache_folder(), error)) {
        constexpr std::string_view kPrefix = "models--";
        std::string name = entry.path().filename().string();
        if (!name.starts_with(kPrefix)) continue;
        name.erase(0, kPrefix.size());
        if (const auto separator = name.find("--"); separator != std::string::npos)
            name.replace(separator, 2, "/");
        try {
            if (auto found = cached_snapshot(entry.path(), name); found && is_model_folder(found->path)) {
                models.push_back(std::move(*found));
            }
        } catch (const Error&) {
            continue;  // a listing shows what can be used; `models inspect NAME` says what is wrong with the
                       // rest
        }
    }
    std::sort(models.begin() + static_cast<std::ptrdiff_t>(embedded), models.end(),
              [](const ModelLocation& a, const ModelLocation& b) { return a.name < b.name; });
    return models;
}

}  // namespace gass
