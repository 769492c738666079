#include "measure/images/folder_groups.h"

#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "core/text.h"
#include "io/file.h"
#include "io/picture_files.h"
#include "measure/images/image_list.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <unordered_set>

namespace gass {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxJson = std::size_t{64} << 20U;

/// The prompts that metadata files give to pictures of their folder and of those below it.
class FolderPrompts {
  public:
    /// Files above `top` are not looked at.
    explicit FolderPrompts(const fs::path& top) : top_(top.lexically_normal()) {}

    std::string prompt_of(const fs::path& picture) {
        const fs::path file = picture.lexically_normal();
        for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
            const Table& table = table_of(folder);
            if (const auto row = table.find(file.native()); row != table.end()) return row->second;
            if (folder == top_ || folder / "" == top_ || !folder.has_relative_path()) return "";
        }
    }

  private:
    using Table = std::unordered_map<std::string, std::string>;

    const Table& table_of(const fs::path& folder) {
        const auto [table, is_new] = tables_.try_emplace(folder.native());
        if (is_new) table->second = read(folder);
        return table->second;
    }

    static Table read(const fs::path& folder) {
        Table table;
        for (const char* name : {"metadata.jsonl", "metadata.csv"}) {
            const fs::path path = folder / name;
            std::error_code error;
            if (!fs::is_regular_file(path, error)) continue;
            try {
                for (ListedImage& image : read_image_list(path).images)
                    table.try_emplace(image.file.lexically_normal().native(), std::move(image.prompt));
            } catch (const Error& problem) {  // nobody named this file; it may be of another kind
                log::warn("{}; no prompts are taken from it", problem.what());
            }
        }
        return table;
    }

    fs::path top_;
    std::map<std::string, Table> tables_;
};

/// The set of ours in a folder, if there is one.
std::optional<FoundGroup> set_in(const fs::path& folder) {
    const fs::path path = folder / "group.json";
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return std::nullopt;
    try {
        return recorded_group(read_measured_json(path), path);
    } catch (const Error& problem) {
        log::warn("{}; the pictures beside it are measured without it", problem.what());
        return std::nullopt;
    }
}

/// How many of the pictures in a set's folder the set does not have.
std::size_t count_unnamed(const FoundPictures& files, const FoundGroup& set) {
    std::unordered_set<std::string> names;
    for (const MeasuredImage& image : set.images) names.insert(image.file.filename().native());
    const auto is_unnamed = [&](const fs::path& file) { return !names.contains(file.filename().native()); };
    return static_cast<std::size_t>(
        std::ranges::count_if(files.pictures, is_unnamed) +
        std::ranges::count_if(files.unreadable, is_unnamed, &UnreadableFile::file));
}

}  // namespace

Json read_measured_json(const fs::path& path) {
    return parse_json(read_text_file(path, kMaxJson), path.string());
}

std::string shown_path(const fs::path& path) {
    return printable(path.empty() ? "." : path.string());
}

std::string folder_name(const fs::path& folder) {
    fs::path whole = fs::absolute(folder.empty() ? "." : folder).lexically_normal();
    if (!whole.has_filename()) whole = whole.parent_path();
    return shown_path(whole.has_filename() ? whole.filename() : whole);
}

FoundGroup recorded_group(const Json& json, const fs::path& path) {
    JsonReader reader(json, path.string());
    reader.string("gass");
    const std::string& prompt = reader.string("prompt");
    const Json& images = reader.at("images");
    if (!images.is_array()) fail(ErrorCode::model_invalid, reader.where(), "\"images\" must be an array");
    const fs::path folder = path.parent_path();
    FoundGroup group{folder_name(folder), shown_path(folder), folder, true, {}};
    for (std::size_t i = 0; i < images.size(); ++i) {
        JsonReader image(images[i], fmt::format("{}, images[{}]", path.string(), i));
        const std::string& file = image.string("file");
        if (!is_file_name(file))
            fail(ErrorCode::model_invalid, image.where(), "{} is not the name of a file beside this one",
                 in_quotes(file));
        const std::string& own = image.find("prompt") != nullptr ? image.string("prompt") : prompt;
        check_prompt(own, image.where(), ErrorCode::model_invalid);
        group.images.push_back({folder / file, own});
    }
    return group;
}

FoundGroups groups_in_folder(const fs::path& folder, std::size_t most) {
    FoundPictures all = pictures_below(folder, most);
    std::map<std::string, FoundPictures> folders;
    for (fs::path& picture : all.pictures)
        folders[picture.parent_path().native()].pictures.push_back(std::move(picture));
    for (UnreadableFile& file : all.unreadable)
        folders[file.file.parent_path().native()].unreadable.push_back(std::move(file));
    FolderPrompts prompts(folder);
    const fs::path top = folder.has_filename() ? folder : folder.parent_path();
    FoundGroups found;
    for (auto& [name, files] : folders) {
        const fs::path relative = fs::path(name).lexically_relative(top);
        const bool is_top = relative.empty() || relative == ".";
        std::optional<FoundGroup> group = set_in(name);
        if (!group || group->images.empty()) {
            group.emplace();
            for (const fs::path& picture : files.pictures)
                group->images.push_back({picture, prompts.prompt_of(picture)});
            std::ranges::move(files.unreadable, std::back_inserter(found.unreadable));
            if (group->images.empty()) continue;
        } else if (const std::size_t others = count_unnamed(files, *group); others > 0) {
            log::warn("{}: group.json does not name {} of the pictures beside it; they are not measured",
                      shown_path(name), others);
        }
        group->name = is_top ? folder_name(folder) : shown_path(relative);
        group->full_name = is_top ? shown_path(top) : shown_path(top / relative);
        group->folder = folder;
        found.groups.push_back(std::move(*group));
    }
    return found;
}

}  // namespace gass
