#include "engine/group_files.h"

#include "core/log.h"
#include "core/stopwatch.h"
#include "core/wording.h"
#include "engine/output_folder.h"
#include "gallery/set_page.h"
#include "gallery/words.h"
#include "io/file_set.h"
#include "io/png.h"
#include "record/image_infotext.h"
#include "record/labels.h"
#include "record/method_step_json.h"
#include "record/record_json.h"
#include "record/spread_json.h"
#include "sheet/sheet.h"

#include <ATen/Parallel.h>
#include <fmt/ranges.h>

#include <set>
#include <span>
#include <utility>

namespace gass {
namespace {

namespace fs = std::filesystem;

Image sheet_of(const Group& group) {
    std::vector<SheetCell> cells;
    for (std::size_t i = 0; i < group.images.size(); ++i) {
        const GroupImage& image = group.images[i];
        cells.push_back({&image, gallery::picture_label(group, i), gallery::axis_lines(group.record, image)});
    }
    std::vector<std::string> notes = gallery::wish_lines(group.record);
    // The method's parameters, where it has any.
    if (const std::string& method = group.record.settings.method.value();
        method.find(':') != std::string::npos)
        notes.push_back(spaced_method(method));
    return draw_sheet({.title = group.record.prompt,
                       .subtitle = gallery::origin_line(group.record),
                       .rows = arrange(std::move(cells)),
                       .notes = std::move(notes)});
}

/// The record with what else decides the pictures' bytes; a PNG says no more than it always did.
Record recorded(const Record& record, const PictureOutput& output) {
    Record result = record;
    if (output.format->name == "png") return result;
    result.settings.format = output.format->name;
    if (output.format->has_quality) result.settings.quality = output.quality;
    return result;
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

EncodedPicture group_picture(const Group& group, std::size_t index, const PictureOutput& output) {
    const GroupImage& image = group.images.at(index);
    std::vector<ImageText> text;
    if (output.metadata) {
        const ImageOrigin origin{
            .index = index, .seed = image.seed, .place = image.place, .prompt = image.prompt};
        Json own = to_json(recorded(group.record, output));
        own["index"] = index;
        text = {{std::string(kParametersKey), format_infotext(infotext_of(group.record, origin))},
                {std::string(kRecordKey), own.dump()}};
    }
    return encode_picture(image, output, text);
}

std::vector<EncodedPicture> group_pictures(const Group& group, const PictureOutput& output) {
    // Packing pixels is most of the work, and no picture waits for another.
    std::vector<EncodedPicture> pictures(group.images.size());
    at::parallel_for(
        0, static_cast<std::int64_t>(pictures.size()), 1, [&](std::int64_t first, std::int64_t end) {
            for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(end); ++i)
                pictures[i] = group_picture(group, i, output);
        });
    return pictures;
}

Json group_json(const Group& group, const PictureOutput& output) {
    Json json = to_json(recorded(group.record, output));
    json["images"] = Json::array();
    for (std::size_t i = 0; i < group.images.size(); ++i) {
        const GroupImage& image = group.images[i];
        json["images"].push_back(
            {{"file", picture_name(i, *output.format)}, {"seed", image.seed}, {"prompt", image.prompt}});
        if (group.record.variation)
            json["images"].back()["variation_seed"] = group.record.variation->seed + image.place;
        if (!image.axis_places.empty()) json["images"].back()["axis_places"] = image.axis_places;
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

void check_group_folder(const fs::path& folder, std::size_t images, const PictureFormat& format) {
    std::vector<std::string> names{kGroupFile, kSheetFile, kPageFile};
    for (std::size_t i = 0; i < images; ++i) names.push_back(picture_name(i, format));
    check_set_places(folder, names);
}

Json write_group(const fs::path& folder, const Group& group, const PictureOutput& output) {
    const Stopwatch watch;
    const std::vector<EncodedPicture> pictures = group_pictures(group, output);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < pictures.size(); ++i) names.push_back(picture_name(i, *output.format));

    FileSet files(folder);
    for (std::size_t i = 0; i < pictures.size(); ++i) files.add(names[i], pictures[i].bytes);
    const Record record = recorded(group.record, output);
    std::vector<ImageText> sheet_text;
    if (output.metadata) sheet_text = {{std::string(kRecordKey), to_json(record).dump()}};
    files.add(kSheetFile, encode_png(sheet_of(group), sheet_text));
    const std::string page = gallery::set_page(group, record, names);
    files.add(kPageFile, std::as_bytes(std::span(page)));
    Json json = group_json(group, output);
    json["sheet"] = kSheetFile;
    json["page"] = kPageFile;
    Json& timings = json.at("timings");
    timings["write"] = watch.seconds();
    timings["total"] = timings.at("total").get<double>() + timings.at("write").get<double>();
    const std::string text = json.dump(2) + "\n";
    files.add(kGroupFile, std::as_bytes(std::span(text)));
    // Somebody may have put files there while the images were made.
    check_group_folder(folder, pictures.size(), *output.format);
    files.commit(surplus_of(folder, {names.begin(), names.end()}, group.complete));
    warn_of_left_out(folder, pictures, *output.format);
    return json;
}

void write_group(const Group& group, const std::string& folder) {
    const OutputFolder place{fs::path(folder)};
    write_group(place.path(), group, PictureOutput());
}

}  // namespace gass
