#pragma once

#include "core/json.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace gass {

/// A folder that files are opened from by relative name, and only from there: a link or a ".." that leads out
/// of it is refused. Links into the `blobs` of the same repository are how the Hugging Face cache works, and
/// are followed.
class ModelFolder {
  public:
    /// Throws model_not_found if there is no such folder.
    explicit ModelFolder(const std::filesystem::path& root);

    /// The folder itself, absolute and without links.
    const std::filesystem::path& root() const { return root_; }
    /// Whether something stands under that name, a broken link among it.
    bool has(const std::filesystem::path& relative) const;
    /// Where to open `relative`; throws model_invalid if that is outside, model_not_found if nothing is
    /// there.
    std::filesystem::path file(const std::filesystem::path& relative) const;
    /// A folder inside; it may hold links as far as this one may.
    ModelFolder subfolder(const std::filesystem::path& relative) const;
    /// A JSON file inside that must hold an object.
    Json json(const std::filesystem::path& relative) const;
    /// A path inside as messages show it.
    std::string shown(const std::filesystem::path& relative) const;

  private:
    ModelFolder(std::filesystem::path root, std::filesystem::path fence, std::filesystem::path blobs)
        : root_(std::move(root)), fence_(std::move(fence)), blobs_(std::move(blobs)) {}

    std::filesystem::path root_;
    std::filesystem::path fence_;  // files must lie below it: the outermost folder that was opened
    std::filesystem::path blobs_;  // or below this, if not empty
};

/// The model folder that a single file belongs to, judged by the config.json or model_index.json around it;
/// the file's own folder if there is none. `gass inspect FILE` uses it to hold a file to the same rule as its
/// model. Returns an empty path when the file stands in no model folder.
std::filesystem::path enclosing_model_folder(const std::filesystem::path& file);

}  // namespace gass
