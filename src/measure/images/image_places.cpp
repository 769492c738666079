#include "measure/images/image_places.h"

#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "io/file_set.h"
#include "io/picture_files.h"
#include "io/picture_format.h"
#include "io/set_folder.h"
#include "measure/images/folder_groups.h"
#include "measure/images/image_list.h"

#include <glob.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>

namespace gass {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWildcards = "*?[";

bool exists(const fs::path& path) {
    std::error_code error;
    return fs::exists(path, error);
}

bool is_folder(const fs::path& path) {
    std::error_code error;
    return fs::is_directory(path, error);
}

/// What a pattern matches, in the order of bytes.
std::vector<std::string> matches(const std::string& pattern, const std::string& where) {
    glob_t found{};
    const int result = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < found.gl_pathc; ++i) names.emplace_back(found.gl_pathv[i]);
    ::globfree(&found);
    if (result != 0 && result != GLOB_NOMATCH)
        fail(ErrorCode::io, where, "the folders of the pattern {} could not be read", in_quotes(pattern));
    std::ranges::sort(names);
    return names;
}

class PlaceReader {
  public:
    explicit PlaceReader(std::string where) : where_(std::move(where)) {}

    void add_place(const std::string& place) {
        settle_file_set(fs::path(place).parent_path());
        if (place.find('\0') == std::string::npos && exists(place)) return add(place);
        if (place.find_first_of(kWildcards) != std::string::npos) return add_pattern(place);
        fail(ErrorCode::model_not_found, where_, "there is no image, folder or pattern {}", in_quotes(place));
    }

    FoundGroups take() {
        if (count_ == 0) fail(ErrorCode::usage, where_, "none of the files named is a {}", picture_kinds());
        return std::move(found_);
    }

  private:
    void add(const fs::path& path) {
        if (is_folder(path)) {
            if (add_folder(path) == 0)
                fail(ErrorCode::usage, where_, "no {} in {}{}", picture_kinds(), in_quotes(path.string()),
                     what_else_is_there());
            return;
        }
        std::error_code error;
        if (!fs::is_regular_file(path, error))
            fail(ErrorCode::usage, where_, "{} is neither a file nor a folder", in_quotes(path.string()));
        if (path.extension() == ".json") return add_json(path);
        if (is_image_list_name(path)) return add_list(read_image_list(path), path);
        add_picture(path);
    }

    /// Names that wildcards stand for count if they are pictures or folders; a name that the pattern spells
    /// out, "*/group.json" for instance, is what the user wants.
    void add_pattern(const std::string& pattern) {
        const fs::path last = fs::path(pattern).filename();
        const bool spelled_out =
            !last.empty() && last.string().find_first_of(kWildcards) == std::string::npos;
        const std::size_t before = count_;
        for (const std::string& name : matches(pattern, where_)) {
            if (spelled_out) {
                add(name);
            } else if (is_folder(name)) {
                add_folder(name);
            } else {
                FoundPictures one;
                one.add(name);
                for (const fs::path& picture : one.pictures) add_picture(picture);
                std::ranges::move(one.unreadable, std::back_inserter(found_.unreadable));
            }
        }
        if (count_ == before)
            fail(ErrorCode::usage, where_, "no {} matches the pattern {}{}", picture_kinds(),
                 in_quotes(pattern), what_else_is_there());
    }

    std::size_t add_folder(const fs::path& folder) {
        const std::size_t before = count_;
        FoundGroups found = groups_in_folder(folder, kMaxMeasuredImages);
        for (FoundGroup& group : found.groups) add_group(std::move(group));
        std::ranges::move(found.unreadable, std::back_inserter(found_.unreadable));
        return count_ - before;
    }

    /// For whoever looks for pictures where there are only others.
    std::string what_else_is_there() const {
        if (found_.unreadable.empty()) return "";
        const UnreadableFile& first = found_.unreadable.front();
        return fmt::format("; {}: {}", in_quotes(first.file.filename().string()), first.reason);
    }

    void add_json(const fs::path& path) {
        const Json json = read_measured_json(path);
        if (!json.is_object()) return add_list(image_list_of(json, path), path);
        FoundGroup group = recorded_group(json, path);
        if (group.images.empty()) fail(ErrorCode::usage, path.string(), "the set has no images");
        add_group(std::move(group));
    }

    /// With prompts a list is one group, for the prompts to divide; without, its folders are.
    void add_list(ImageList list, const fs::path& path) {
        const fs::path folder = path.parent_path();
        if (list.images.empty()) fail(ErrorCode::usage, path.string(), "the list names no image");
        std::map<std::string, FoundGroup> groups;
        for (ListedImage& image : list.images) {
            fs::path parent = list.has_prompts ? folder : image.file.parent_path();
            FoundGroup& group = groups[parent.lexically_normal().native()];
            if (group.images.empty()) {
                const fs::path relative = parent.lexically_relative(folder.empty() ? "." : folder);
                const bool inside = !relative.empty() && relative != "." && *relative.begin() != "..";
                group.name = inside ? shown_path(relative) : folder_name(parent);
                group.full_name = shown_path(list.has_prompts ? path : parent);
                group.folder = folder;
            }
            group.images.push_back({std::move(image.file), std::move(image.prompt)});
        }
        for (auto& [name, group] : groups) add_group(std::move(group));
    }

    /// Pictures that are named one by one, by a shell's pattern for instance, are groups by their folders.
    void add_picture(const fs::path& path) {
        if (const fs::path name = path.filename();
            name == kSheetFile || name == kPageFile || name == kPreviewFile) {
            log::warn("{} is a contact sheet, page or preview by its name, and not measured",
                      shown_path(path));
            return;
        }
        const fs::path folder = path.parent_path();
        const auto [place, is_new] =
            single_.try_emplace(folder.lexically_normal().native(), found_.groups.size());
        if (is_new) found_.groups.push_back({folder_name(folder), shown_path(folder), folder, false, {}});
        found_.groups[place->second].images.push_back({path, ""});
        count(1);
    }

    void add_group(FoundGroup group) {
        count(group.images.size());
        found_.groups.push_back(std::move(group));
    }

    void count(std::size_t images) {
        count_ += images;
        if (count_ > kMaxMeasuredImages)
            fail(ErrorCode::usage, where_, "more than {} images", kMaxMeasuredImages);
    }

    std::string where_;
    FoundGroups found_;
    std::map<std::string, std::size_t> single_;  // by folder, where its group stands
    std::size_t count_ = 0;
};

}  // namespace

FoundGroups groups_at(const std::vector<std::string>& places, const std::string& where) {
    if (places.empty()) fail(ErrorCode::usage, where, "name images, a folder or a list of images");
    PlaceReader reader(where);
    for (const std::string& place : places) reader.add_place(place);
    return reader.take();
}

}  // namespace gass
