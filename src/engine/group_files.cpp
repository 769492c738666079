#include "engine/group_files.h"

#include "core/fail.h"
#include "core/log.h"
#include "core/stopwatch.h"
#include "guidance/registry.h"
#include "io/file.h"
#include "io/png.h"
#include "sheet/sheet.h"

#include <ATen/Parallel.h>

#include <list>
#include <set>
#include <span>

namespace gass {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSheetFile = "sheet.png";

Image sheet_of(const Group& group, const Record& record) {
    const bool own_prompts = std::set(group.prompts.begin(), group.prompts.end()).size() > 1;
    std::vector<SheetCell> cells;
    for (std::size_t i = 0; i < group.images.size(); ++i) {
        std::string label = fmt::format("seed {}", group.seeds[i]);
        if (record.variation) label += fmt::format(" → {}", record.variation->seed + group.places[i]);
        if (own_prompts) label += ": " + group.prompts[i];
        cells.push_back({&group.images[i], std::move(label)});
    }
    const Json& settings = record.settings;
    return draw_sheet(
        {.title = record.prompt,
         .subtitle = fmt::format("{} · method {} · {} steps · CFG {} · {}x{}",
                                 model_label(settings.at("model").get<std::string>()),
                                 method_name(settings.at("method").get<std::string>()),
                                 settings.at("steps").dump(), settings.at("cfg_scale").get<double>(),
                                 settings.at("width").dump(), settings.at("height").dump()),
         .rows = arrange(std::move(cells))});
}

/// The pictures that the group.json in the folder names, if there is one and it is ours.
std::set<std::string> pictures_of_earlier_group(const fs::path& folder) {
    std::set<std::string> names;
    std::error_code error;
    if (!fs::exists(folder / kGroupFile, error)) return names;
    try {
        const Json json = parse_json(read_text_file(folder / kGroupFile), kGroupFile);
        Record::from_json(json, kGroupFile);
        for (std::size_t i = 0; i < json.at("images").size(); ++i) {
            if (json["images"][i].value("file", "") == picture_name(i)) names.insert(picture_name(i));
        }
    } catch (const std::exception&) {
        log::debug("{} is not a group of ours; its pictures stay", (folder / kGroupFile).string());
    }
    return names;
}

}  // namespace

std::string picture_name(std::size_t index) {
    return fmt::format("{:04}.png", index);
}

std::vector<std::byte> group_png(const Group& group, const std::optional<Record>& record, std::size_t index) {
    std::vector<ImageText> text;
    if (record) {
        Json own = record->to_json();
        own["index"] = index;
        text = {{"parameters", format_infotext(infotext_of(*record, group, index))}, {"gass", own.dump()}};
    }
    return encode_png(group.images.at(index), text);
}

std::vector<std::vector<std::byte>> group_pngs(const Group& group, const std::optional<Record>& record) {
    // Packing pixels is most of the work, and no picture waits for another.
    std::vector<std::vector<std::byte>> pictures(group.images.size());
    at::parallel_for(
        0, static_cast<std::int64_t>(pictures.size()), 1, [&](std::int64_t first, std::int64_t end) {
            for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(end); ++i)
                pictures[i] = group_png(group, record, i);
        });
    return pictures;
}

Json group_json(const Group& group, const Record& record) {
    Json json = record.to_json();
    json["images"] = Json::array();
    for (std::size_t i = 0; i < group.images.size(); ++i) {
        json["images"].push_back(
            {{"file", picture_name(i)}, {"seed", group.seeds[i]}, {"prompt", group.prompts[i]}});
        if (record.variation)
            json["images"].back()["variation_seed"] = record.variation->seed + group.places[i];
    }
    json["chunk"] = group.chunk;
    json["complete"] = group.complete;
    if (group.peak_device_bytes > 0) json["peak_device_bytes"] = group.peak_device_bytes;
    if (!group.spread.is_null()) json["spread"] = group.spread;
    if (!group.method_steps.is_null()) json["method_steps"] = group.method_steps;
    const Timings& t = group.timings;
    json["timings"] = {{"load", t.load},       {"text", t.text},
                       {"denoise", t.denoise}, {"method", t.method},
                       {"decode", t.decode},   {"total", t.load + t.text + t.denoise + t.decode}};
    return json;
}

void check_group_folder(const fs::path& folder, std::size_t images) {
    const std::set<std::string> earlier = pictures_of_earlier_group(folder);
    std::vector<std::string> names{kGroupFile, kSheetFile};
    for (std::size_t i = 0; i < images; ++i) names.push_back(picture_name(i));
    for (const std::string& name : names) {
        const bool ours =
            earlier.contains(name) || (!earlier.empty() && (name == kGroupFile || name == kSheetFile));
        std::error_code error;
        if (!ours && fs::exists(fs::symlink_status(folder / name, error))) {
            fail(ErrorCode::usage, "--output",
                 "{} is there already, and of no set that gass made; choose another "
                 "folder",
                 (folder / name).string());
        }
    }
}

Json write_group(const fs::path& folder, const Group& group, const Record& record, bool metadata_in_images) {
    const Stopwatch watch;
    std::set<std::string> surplus = pictures_of_earlier_group(folder);
    const std::vector<std::vector<std::byte>> pictures =
        group_pngs(group, metadata_in_images ? std::optional(record) : std::nullopt);

    // Every file is on the disk under a temporary name before the first gets its own.
    std::list<AtomicFile> files;
    const auto put = [&](const std::string& name, std::span<const std::byte> bytes) {
        AtomicFile& file = files.emplace_back(folder / name);
        file.write(bytes);
        file.finish();
    };
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        put(picture_name(i), pictures[i]);
        surplus.erase(picture_name(i));
    }
    std::vector<ImageText> sheet_text;
    if (metadata_in_images) sheet_text = {{"gass", record.to_json().dump()}};
    put(kSheetFile, encode_png(sheet_of(group, record), sheet_text));
    Json json = group_json(group, record);
    json["sheet"] = kSheetFile;
    Json& timings = json.at("timings");
    timings["write"] = watch.seconds();
    timings["total"] = timings.at("total").get<double>() + timings.at("write").get<double>();
    const std::string text = json.dump(2) + "\n";
    put(kGroupFile, std::as_bytes(std::span(text)));
    for (AtomicFile& file : files) file.commit();
    for (const std::string& name : surplus) {
        std::error_code ignored;
        if (group.complete) fs::remove(folder / name, ignored);
    }
    return json;
}

}  // namespace gass
