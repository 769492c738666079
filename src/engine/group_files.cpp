#include "engine/group_files.h"

#include "core/log.h"
#include "core/stopwatch.h"
#include "guidance/registry.h"
#include "io/file_set.h"
#include "io/png.h"
#include "sheet/sheet.h"

#include <ATen/Parallel.h>
#include <fmt/ranges.h>

#include <set>
#include <span>

namespace gass {
namespace {

namespace fs = std::filesystem;

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

/// The record with what else decides the pictures' bytes.
Json recorded(const Record& record, const PictureOutput& output) {
    Json json = record.to_json();
    json.at("settings").update(output.settings());
    return json;
}

/// The pictures of an earlier set that have to go. One that was stopped replaces what stands in the places
/// that it takes, in whatever format, and leaves the rest.
std::vector<std::string> surplus_of(const fs::path& folder, const std::set<std::string>& names,
                                    bool complete) {
    std::set<std::string> places;
    for (const std::string& name : names) places.insert(fs::path(name).stem());
    std::vector<std::string> surplus;
    for (const std::string& name : pictures_of_set(folder)) {
        if (!names.contains(name) && (complete || places.contains(fs::path(name).stem())))
            surplus.push_back(name);
    }
    return surplus;
}

void warn_of_left_out(const fs::path& folder, const std::vector<EncodedPicture>& pictures,
                      const PictureFormat& format) {
    std::set<std::string> left_out;
    for (const EncodedPicture& picture : pictures)
        left_out.insert(picture.left_out.begin(), picture.left_out.end());
    if (left_out.empty()) return;
    log::warn("[{}] {} has no room for {}: left out of the pictures; {} holds everything", folder.string(),
              format.shown, fmt::join(left_out, " and "), kGroupFile);
}

}  // namespace

EncodedPicture group_picture(const Group& group, const Record& record, const PictureOutput& output,
                             std::size_t index) {
    std::vector<ImageText> text;
    if (output.metadata) {
        Json own = recorded(record, output);
        own["index"] = index;
        text = {{std::string(kParametersKey), format_infotext(infotext_of(record, group, index))},
                {std::string(kRecordKey), own.dump()}};
    }
    return encode_picture(group.images.at(index), output, text);
}

std::vector<EncodedPicture> group_pictures(const Group& group, const Record& record,
                                           const PictureOutput& output) {
    // Packing pixels is most of the work, and no picture waits for another.
    std::vector<EncodedPicture> pictures(group.images.size());
    at::parallel_for(
        0, static_cast<std::int64_t>(pictures.size()), 1, [&](std::int64_t first, std::int64_t end) {
            for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(end); ++i)
                pictures[i] = group_picture(group, record, output, i);
        });
    return pictures;
}

Json group_json(const Group& group, const Record& record, const PictureOutput& output) {
    Json json = recorded(record, output);
    json["images"] = Json::array();
    for (std::size_t i = 0; i < group.images.size(); ++i) {
        json["images"].push_back({{"file", picture_name(i, *output.format)},
                                  {"seed", group.seeds[i]},
                                  {"prompt", group.prompts[i]}});
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

void check_group_folder(const fs::path& folder, std::size_t images, const PictureFormat& format) {
    std::vector<std::string> names{kGroupFile, kSheetFile};
    for (std::size_t i = 0; i < images; ++i) names.push_back(picture_name(i, format));
    check_set_places(folder, names);
}

Json write_group(const fs::path& folder, const Group& group, const Record& record,
                 const PictureOutput& output) {
    const Stopwatch watch;
    const std::vector<EncodedPicture> pictures = group_pictures(group, record, output);
    std::set<std::string> names;
    for (std::size_t i = 0; i < pictures.size(); ++i) names.insert(picture_name(i, *output.format));

    FileSet files(folder);
    for (std::size_t i = 0; i < pictures.size(); ++i)
        files.add(picture_name(i, *output.format), pictures[i].bytes);
    std::vector<ImageText> sheet_text;
    if (output.metadata) sheet_text = {{std::string(kRecordKey), recorded(record, output).dump()}};
    files.add(kSheetFile, encode_png(sheet_of(group, record), sheet_text));
    Json json = group_json(group, record, output);
    json["sheet"] = kSheetFile;
    Json& timings = json.at("timings");
    timings["write"] = watch.seconds();
    timings["total"] = timings.at("total").get<double>() + timings.at("write").get<double>();
    const std::string text = json.dump(2) + "\n";
    files.add(kGroupFile, std::as_bytes(std::span(text)));
    // Somebody may have put files there while the images were made.
    check_group_folder(folder, pictures.size(), *output.format);
    files.commit(surplus_of(folder, names, group.complete));
    warn_of_left_out(folder, pictures, *output.format);
    return json;
}

}  // namespace gass
