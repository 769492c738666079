#include "io/model_folder.h"

#include "core/fail.h"
#include "core/quote.h"
#include "io/file.h"

#include <algorithm>
#include <system_error>

namespace gass {
namespace {

namespace fs = std::filesystem;

bool lies_below(const fs::path& path, const fs::path& folder) {
    const auto [end, _] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return end == folder.end();
}

/// `…/models--org--name/snapshots/COMMIT` may link into `…/models--org--name/blobs`.
fs::path blobs_beside(const fs::path& snapshot) {
    const fs::path repository = snapshot.parent_path().parent_path();
    const bool is_cache = snapshot.parent_path().filename() == "snapshots" &&
                          repository.filename().string().starts_with("models--");
    return is_cache ? repository / "blobs" : fs::path();
}

}  // namespace

ModelFolder::ModelFolder(const fs::path& root) {
    std::error_code error;
    root_ = fs::canonical(root, error);
    if (error) fail(ErrorCode::model_not_found, root.string(), "cannot open the folder: {}", error.message());
    if (!fs::is_directory(root_, error))
        fail(ErrorCode::model_invalid, root.string(), "expected a folder, found a file");
    fence_ = root_;
    blobs_ = blobs_beside(root_);
}

bool ModelFolder::has(const fs::path& relative) const {
    std::error_code error;
    return fs::symlink_status(root_ / relative, error).type() != fs::file_type::not_found && !error;
}

fs::path ModelFolder::file(const fs::path& relative) const {
    std::error_code error;
    fs::path target = fs::canonical(root_ / relative, error);
    if (error) {
        const bool missing = !has(relative);
        fail(missing ? ErrorCode::model_not_found : ErrorCode::model_invalid, shown(relative), "{}: {}",
             missing ? "the file is missing" : "the link leads nowhere", error.message());
    }
    if (!lies_below(target, fence_) && (blobs_.empty() || !lies_below(target, blobs_))) {
        fail(ErrorCode::model_invalid, shown(relative),
             "it leads out of the model folder, to {}. Copy the file into the folder if you trust it",
             in_quotes(target.string()));
    }
    return target;
}

ModelFolder ModelFolder::subfolder(const fs::path& relative) const {
    const fs::path target = file(relative);
    std::error_code error;
    if (!fs::is_directory(target, error)) {
        fail(ErrorCode::model_invalid, shown(relative), "expected a folder, found a file");
    }
    return {target, fence_, blobs_};
}

Json ModelFolder::json(const fs::path& relative) const {
    Json value = parse_json(read_text_file(file(relative)), shown(relative));
    if (!value.is_object()) {
        fail(ErrorCode::model_invalid, shown(relative), "expected a JSON object, found {}",
             value.type_name());
    }
    return value;
}

std::string ModelFolder::shown(const fs::path& relative) const {
    return (root_ / relative).string();
}

fs::path enclosing_model_folder(const fs::path& file) {
    std::error_code error;
    fs::path folder = fs::absolute(file, error).lexically_normal().parent_path();
    const auto holds = [&](const fs::path& where, const char* name) {
        return fs::exists(where / name, error);
    };
    if (holds(folder.parent_path(), "model_index.json")) return folder.parent_path();
    if (holds(folder, "model_index.json") || holds(folder, "config.json")) return folder;
    return {};
}

}  // namespace gass
