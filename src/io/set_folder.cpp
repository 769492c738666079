#include "io/set_folder.h"

#include "core/fail.h"
#include "core/json.h"
#include "core/log.h"
#include "io/file.h"
#include "io/png.h"

#include <algorithm>
#include <system_error>

namespace gass {

namespace fs = std::filesystem;

namespace {

const ImageText kPreviewMark{"Software", "gass preview"};

bool is_taken(const fs::path& path) {
    std::error_code error;
    return fs::exists(fs::symlink_status(path, error));
}

/// Whether the set there says that the page beside it is its own.
bool has_page(const fs::path& folder) {
    const Json json = parse_json(read_text_file(folder / kGroupFile), kGroupFile);
    const auto page = json.find("page");
    return page != json.end() && *page == kPageFile;
}

}  // namespace

void write_preview(const fs::path& path, const Image& sheet) {
    write_png(path, sheet, std::span(&kPreviewMark, 1));
}

void check_preview_place(const fs::path& path, std::string_view where) {
    if (is_taken(path) && !carries_text(path, kPreviewMark))
        fail(ErrorCode::usage, where,
             "{} exists already and is not a preview that gass made; choose another name", path.string());
}

void remove_preview(const fs::path& path) {
    std::error_code ignored;
    if (is_taken(path) && carries_text(path, kPreviewMark)) fs::remove(path, ignored);
}

std::string picture_name(std::size_t index, const PictureFormat& format) {
    return fmt::format("{:04}{}", index, format.extension());
}

std::set<std::string> pictures_of_set(const fs::path& folder) {
    std::set<std::string> names;
    std::error_code error;
    if (!fs::exists(folder / kGroupFile, error)) return names;
    try {
        const Json json = parse_json(read_text_file(folder / kGroupFile), kGroupFile);
        for (const char* key : {"gass", "fingerprint", "settings", "seeds"}) json.at(key);
        for (std::size_t i = 0; i < json.at("images").size(); ++i) {
            const std::string file = json["images"][i].value("file", "");
            const bool is_its_own = std::ranges::any_of(picture_formats(), [&](const PictureFormat& format) {
                return file == picture_name(i, format);
            });
            if (is_its_own) names.insert(file);
        }
    } catch (const std::exception&) {
        log::debug("{} is not a group of ours; its pictures stay", (folder / kGroupFile).string());
    }
    return names;
}

void check_set_places(const fs::path& folder, std::span<const std::string> files) {
    std::set<std::string> earlier = pictures_of_set(folder);
    if (!earlier.empty()) earlier.insert({kGroupFile, kSheetFile});
    // Sets of 0.1 had no page: there it is somebody else's.
    if (!earlier.empty() && has_page(folder)) earlier.insert(kPageFile);
    for (const std::string& name : files) {
        const bool ours = earlier.contains(name);
        if (!ours && is_taken(folder / name)) {
            fail(ErrorCode::usage, SettingKey("output"),
                 "{} exists already and does not belong to a set that gass made; choose another folder",
                 (folder / name).string());
        }
    }
}

}  // namespace gass
