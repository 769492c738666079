#include "io/picture_files.h"

#include "core/fail.h"
#include "io/file_set.h"
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

/// The pictures, and the folders whose sets are to be settled before they can be trusted.
struct Found {
    std::vector<fs::path> pictures;
    std::vector<fs::path> unsettled;
};

Found look_below(const fs::path& folder, std::size_t most) {
    std::error_code error;
    const fs::directory_iterator readable(folder, error);
    Found found;
    fs::recursive_directory_iterator entry;
    if (!error)
        entry =
            fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
    for (const fs::recursive_directory_iterator end; !error && entry != end && found.pictures.size() <= most;
         entry.increment(error)) {
        std::error_code gone;  // a file that vanished meanwhile, or a link that leads nowhere
        if (is_hidden(entry->path())) {
            entry.disable_recursion_pending();
            if (is_unsettled_file_set(*entry)) found.unsettled.push_back(entry->path().parent_path());
        } else if (is_picture_name(entry->path()) && entry->is_regular_file(gone)) {
            found.pictures.push_back(entry->path());
        }
    }
    if (error) fail(ErrorCode::model_invalid, folder.string(), "cannot read the folder: {}", error.message());
    return found;
}

}  // namespace

bool is_picture_name(const fs::path& path) {
    const std::string name = path.filename().string();
    return has_picture_extension(path) && name != kSheetFile && name != kPreviewFile && !is_hidden(path);
}

std::vector<fs::path> pictures_below(const fs::path& folder, std::size_t most) {
    Found found = look_below(folder, most);
    if (!found.unsettled.empty()) {
        for (const fs::path& place : found.unsettled) settle_file_set(place);
        found = look_below(folder, most);
    }
    std::vector<fs::path>& pictures = found.pictures;
    std::ranges::sort(pictures, {}, [](const fs::path& path) -> const std::string& { return path.native(); });
    return std::move(pictures);
}

}  // namespace gass
