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

/// What a folder's group.json says is its set's, if it is one of ours.
struct EarlierSet {
    std::set<std::string> pictures;
    bool has_page = false;
};

EarlierSet earlier_set(const fs::path& folder) {
    EarlierSet set;
    std::error_code error;
    if (!fs::exists(folder / kGroupFile, error)) return set;
    try {
        const Json json = parse_json(read_text_file(folder / kGroupFile), kGroupFile);
        for (const char* key : {"gass", "fingerprint", "settings", "seeds"}) json.at(key);
        const auto page = json.find("page");
        set.has_page = page != json.end() && *page == kPageFile;
        for (std::size_t i = 0; i < json.at("images").size(); ++i) {
            const std::string file = json["images"][i].value("file", "");
            const bool is_its_own = std::ranges::any_of(picture_formats(), [&](const PictureFormat& format) {
                return file == picture_name(i, format);
            });
            if (is_its_own) set.pictures.insert(file);
        }
    } catch (const std::exception&) {
        log::debug("{} is not a group of ours; its pictures stay", (folder / kGroupFile).string());
    }
    return set;
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
    return earlier_set(folder).pictures;
}

void check_set_places(const fs::path& folder, std::span<const std::string> files) {
    const EarlierSet set = earlier_set(folder);
    std::set<std::string> own = set.pictures;
    if (!own.empty()) {
        own.insert({kGroupFile, kSheetFile});
        if (set.has_page) own.insert(kPageFile);  // sets of 0.1 had none: there it is somebody else's
    }
    for (const std::string& name : files) {
        if (!own.contains(name) && is_taken(folder / name)) {
            fail(ErrorCode::usage, SettingKey("output"),
                 "{} exists already and does not belong to a set that gass made; choose another folder",
                 (folder / name).string());
        }
    }
}

}  // namespace gass
