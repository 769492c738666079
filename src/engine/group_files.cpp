#include "engine/group_files.h"

#include "core/stopwatch.h"
#include "engine/output_folder.h"
#include "io/file_set.h"
#include "io/png.h"
#include "record/image_infotext.h"
#include "record/labels.h"
#include "record/method_step_json.h"
#include "record/record_json.h"
#include "record/spread_json.h"
#include "sheet/sheet.h"

#include <ATen/Parallel.h>

#include <set>
#include <span>

namespace gass {
namespace {

namespace fs = std::filesystem;

Image sheet_of(const Group& group) {
    const Record& record = group.record;
    std::set<std::string_view> prompts;
    for (const GroupImage& image : group.images) prompts.insert(image.prompt);
    std::vector<SheetCell> cells;
    for (const GroupImage& image : group.images) {
        std::string label = fmt::format("seed {}", image.seed);
        if (record.variation) label += fmt::format(" → {}", record.variation->seed + image.place);
        if (prompts.size() > 1) label += ": " + image.prompt;
        cells.push_back({&image, std::move(label)});
    }
    const RecordedSettings& settings = record.settings;
    return draw_sheet({.title = record.prompt,
                       .subtitle = fmt::format(
                           "{} · method {} · {} steps · CFG {} · {}x{}", model_label(settings.model.value()),
                           method_label(settings.method.value()), settings.steps.value(),
                           settings.cfg_scale.value(), settings.width.value(), settings.height.value()),
                       .rows = arrange(std::move(cells))});
}

}  // namespace

std::vector<std::byte> group_png(const Group& group, std::size_t index, bool with_metadata) {
    const GroupImage& image = group.images.at(index);
    std::vector<ImageText> text;
    if (with_metadata) {
        const ImageOrigin origin{
            .index = index, .seed = image.seed, .place = image.place, .prompt = image.prompt};
        Json own = to_json(group.record);
        own["index"] = index;
        text = {{"parameters", format_infotext(infotext_of(group.record, origin))}, {"gass", own.dump()}};
    }
    return encode_png(image, text);
}

std::vector<std::vector<std::byte>> group_pngs(const Group& group, bool with_metadata) {
    // Packing pixels is most of the work, and no picture waits for another.
    std::vector<std::vector<std::byte>> pictures(group.images.size());
    at::parallel_for(
        0, static_cast<std::int64_t>(pictures.size()), 1, [&](std::int64_t first, std::int64_t end) {
            for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(end); ++i)
                pictures[i] = group_png(group, i, with_metadata);
        });
    return pictures;
}

Json group_json(const Group& group) {
    Json json = to_json(group.record);
    json["images"] = Json::array();
    for (std::size_t i = 0; i < group.images.size(); ++i) {
        const GroupImage& image = group.images[i];
        json["images"].push_back({{"file", picture_name(i)}, {"seed", image.seed}, {"prompt", image.prompt}});
        if (group.record.variation)
            json["images"].back()["variation_seed"] = group.record.variation->seed + image.place;
    }
    json["chunk"] = group.chunk;
    json["complete"] = group.complete;
    if (group.peak_device_bytes > 0) json["peak_device_bytes"] = group.peak_device_bytes;
    if (group.spread) json["spread"] = to_json(*group.spread);
    if (group.method_steps) json["method_steps"] = to_json(*group.method_steps);
    const Timings& t = group.timings;
    json["timings"] = {{"load", t.load},       {"text", t.text},
                       {"denoise", t.denoise}, {"method", t.method},
                       {"decode", t.decode},   {"total", t.load + t.text + t.denoise + t.decode}};
    return json;
}

void check_group_folder(const fs::path& folder, std::size_t images) {
    std::vector<std::string> names{kGroupFile, kSheetFile};
    for (std::size_t i = 0; i < images; ++i) names.push_back(picture_name(i));
    check_set_places(folder, names);
}

Json write_group(const fs::path& folder, const Group& group, bool with_metadata) {
    const Stopwatch watch;
    const std::vector<std::vector<std::byte>> pictures = group_pngs(group, with_metadata);

    FileSet files(folder);
    for (std::size_t i = 0; i < pictures.size(); ++i) files.add(picture_name(i), pictures[i]);
    std::vector<ImageText> sheet_text;
    if (with_metadata) sheet_text = {{"gass", to_json(group.record).dump()}};
    files.add(kSheetFile, encode_png(sheet_of(group), sheet_text));
    Json json = group_json(group);
    json["sheet"] = kSheetFile;
    Json& timings = json.at("timings");
    timings["write"] = watch.seconds();
    timings["total"] = timings.at("total").get<double>() + timings.at("write").get<double>();
    const std::string text = json.dump(2) + "\n";
    files.add(kGroupFile, std::as_bytes(std::span(text)));
    // Somebody may have put files there while the images were made.
    check_group_folder(folder, pictures.size());
    std::set<std::string> surplus;
    if (group.complete) surplus = pictures_of_set(folder);
    for (std::size_t i = 0; i < pictures.size(); ++i) surplus.erase(picture_name(i));
    files.commit(std::vector(surplus.begin(), surplus.end()));
    return json;
}

void write_group(const Group& group, const std::string& folder) {
    const OutputFolder place{fs::path(folder)};
    write_group(place.path(), group, /*with_metadata=*/true);
}

}  // namespace gass
