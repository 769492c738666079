#include "io/picture_files.h"

#include "core/fail.h"
#include "io/file_set.h"
#include "io/image.h"
#include "io/picture_format.h"
#include "io/set_folder.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>

namespace gass {
namespace {

namespace fs = std::filesystem;

bool is_hidden(const fs::path& path) {
    return path.filename().string().starts_with('.');
}

bool is_ours_to_skip(const fs::path& path) {
    const std::string name = path.filename().string();
    return name == kSheetFile || name == kPreviewFile || is_hidden(path);
}

/// What is found, and the folders whose sets are to be settled before it can be trusted.
struct Found {
    FoundPictures files;
    std::vector<fs::path> unsettled;

    std::size_t count() const { return files.pictures.size() + files.unreadable.size(); }
};

void check_readable(const fs::directory_entry& folder, std::vector<UnreadableFile>& unreadable) {
    std::error_code error;
    const fs::directory_iterator first(folder, error);
    if (error) unreadable.push_back({folder.path(), "cannot read the folder: " + error.message()});
}

Found look_below(const fs::path& folder, std::size_t most) {
    std::error_code error;
    const fs::directory_iterator readable(folder, error);
    Found found;
    fs::recursive_directory_iterator entry;
    if (!error)
        entry =
            fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
    for (const fs::recursive_directory_iterator end; !error && entry != end && found.count() <= most;
         entry.increment(error)) {
        std::error_code gone;  // a file that vanished meanwhile
        if (is_hidden(entry->path())) {
            entry.disable_recursion_pending();
            if (is_unsettled_file_set(*entry)) found.unsettled.push_back(entry->path().parent_path());
        } else if (entry->is_directory(gone)) {
            if (!entry->is_symlink(gone)) check_readable(*entry, found.files.unreadable);
        } else {
            found.files.add(entry->path());
        }
    }
    if (error) fail(ErrorCode::model_invalid, folder.string(), "cannot read the folder: {}", error.message());
    return found;
}

}  // namespace

bool is_picture_name(const fs::path& path) {
    return has_picture_extension(path) && !is_ours_to_skip(path);
}

void FoundPictures::add(const fs::path& file) {
    const bool is_ours = has_picture_extension(file);
    if (is_ours_to_skip(file) || (!is_ours && !has_foreign_picture_extension(file))) return;
    std::error_code error;
    if (is_ours && fs::is_regular_file(file, error)) {
        pictures.push_back(file);
        return;
    }
    try {
        map_image(file);
        pictures.push_back(file);  // whatever its name says
    } catch (const Error& problem) {
        unreadable.push_back({file, problem.message()});
    }
}

FoundPictures pictures_below(const fs::path& folder, std::size_t most) {
    Found found = look_below(folder, most);
    if (!found.unsettled.empty()) {
        for (const fs::path& place : found.unsettled) settle_file_set(place);
        found = look_below(folder, most);
    }
    std::ranges::sort(found.files.pictures, {},
                      [](const fs::path& path) -> const std::string& { return path.native(); });
    std::ranges::sort(found.files.unreadable, {},
                      [](const UnreadableFile& file) -> const std::string& { return file.file.native(); });
    return std::move(found.files);
}

}  // namespace gass
