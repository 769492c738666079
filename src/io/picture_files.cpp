#include "io/picture_files.h"

#include "core/fail.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <system_error>

namespace gass {
namespace {

namespace fs = std::filesystem;

bool is_hidden(const fs::path& path) {
    return path.filename().string().starts_with('.');
}

}  // namespace

bool is_picture_name(const fs::path& path) {
    std::string extension = path.extension().string();
    std::ranges::transform(extension, extension.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string name = path.filename().string();
    return (extension == ".png" || extension == ".jpg" || extension == ".jpeg") && name != "sheet.png" &&
           name != "preview.png" && !is_hidden(path);
}

std::vector<fs::path> pictures_below(const fs::path& folder, std::size_t most) {
    std::error_code error;
    const fs::directory_iterator readable(folder, error);
    std::vector<fs::path> pictures;
    fs::recursive_directory_iterator entry;
    if (!error)
        entry =
            fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
    for (const fs::recursive_directory_iterator end; !error && entry != end && pictures.size() <= most;
         entry.increment(error)) {
        std::error_code gone;  // a file that vanished meanwhile, or a link that leads nowhere
        if (is_hidden(entry->path())) {
            entry.disable_recursion_pending();
        } else if (is_picture_name(entry->path()) && entry->is_regular_file(gone)) {
            pictures.push_back(entry->path());
        }
    }
    if (error) fail(ErrorCode::model_invalid, folder.string(), "cannot read the folder: {}", error.message());
    std::ranges::sort(pictures, {}, [](const fs::path& path) -> const std::string& { return path.native(); });
    return pictures;
}

}  // namespace gass
