#include "core/fail.h"
#include "core/quote.h"
#include "engine.h"
#include "engine/group_files.h"
#include "engine/output_folder.h"
#include "generation_events.h"
#include "guidance/registry.h"
#include "interrupt.h"
#include "io/file.h"
#include "io/file_set.h"
#include "io/picture_files.h"
#include "output.h"
#include "progress.h"

#include <gass/version.h>

#include <algorithm>
#include <cstdlib>

namespace gass::cli {
namespace {

namespace fs = std::filesystem;

struct RecordedImage {
    Record record;
    std::size_t index = 0;
    Image image;
};

RecordedImage read_recorded(const std::string& path) {
    const ImageFile file = read_image(path);
    const auto text = std::find_if(file.info.text.begin(), file.info.text.end(),
                                   [](const ImageText& entry) { return entry.key == kRecordKey; });
    if (text == file.info.text.end()) {
        fail(ErrorCode::model_invalid, path,
             "it carries no record of gass: made elsewhere, or saved again without "
             "its metadata");
    }
    const std::string where = path + ", gass";
    const Json json = parse_json(text->value, where);
    RecordedImage recorded{Record::from_json(json, where), 0, file.image};
    JsonReader reader(json, where);
    const Json* index = reader.find("index");
    if (index == nullptr)
        fail(ErrorCode::model_invalid, path, "it is a set's sheet; reproduce one of the set's images");
    if (!index->is_number_unsigned() || index->get<std::uint64_t>() >= recorded.record.seeds.size())
        fail(ErrorCode::model_invalid, where, "\"index\" must be below {}", recorded.record.seeds.size());
    recorded.index = index->get<std::size_t>();
    return recorded;
}

/// Settings as they were, with what the user wants otherwise.
Settings settings_of(const RecordedImage& recorded, const ReproduceOptions& options) {
    Settings settings;
    settings.set_object(SettingLayer::config, recorded.record.settings, options.file + ", gass",
                        ErrorCode::model_invalid);
    const auto override_with = [&](const char* key, const std::string& value, const char* flag) {
        if (!value.empty()) settings.set_text(SettingLayer::flag, *find_setting(key), value, flag);
    };
    override_with("model", options.model, "--model");
    override_with("device", options.device, "--device");
    override_with("dtype", options.dtype, "--dtype");
    override_with("guide", options.guide, "--guide");
    override_with("method", options.method, "--method");
    return settings;
}

/// What was not the same this time, in words; it may explain why the bytes are not.
std::vector<std::string> changes(const Record& before, const Record& now) {
    std::vector<std::string> lines;
    if (before.version != now.version)
        lines.push_back(fmt::format("made by gass {}, this is {}", before.version, now.version));
    if (before.machine != now.machine)
        lines.push_back(fmt::format("made with {}, this is {}", before.machine, now.machine));
    if (before.fingerprint != now.fingerprint)
        lines.push_back(fmt::format("the model's files are not the same: fingerprint {} then, {} now",
                                    before.fingerprint, now.fingerprint));
    for (const auto& [key, value] : now.settings.items()) {
        const auto was = before.settings.find(key);
        if (was == before.settings.end()) {
            lines.push_back(fmt::format("{} was not recorded, now {}", key, value.dump()));
        } else if (*was != value) {
            lines.push_back(fmt::format("{} was {}, now {}", key, was->dump(), value.dump()));
        }
    }
    return lines;
}

struct PixelDifference {
    int largest = 0;
    double share = 0.0;  // of the values
};

PixelDifference compare(const Image& before, const Image& now) {
    if (before.width != now.width || before.height != now.height) return {255, 1.0};
    PixelDifference difference;
    std::size_t unequal = 0;
    for (std::size_t i = 0; i < now.rgb.size(); ++i) {
        const int apart = std::abs(int{before.rgb[i]} - int{now.rgb[i]});
        difference.largest = std::max(difference.largest, apart);
        unequal += apart > 0 ? 1 : 0;
    }
    difference.share = static_cast<double>(unequal) / static_cast<double>(now.rgb.size());
    return difference;
}

/// Does what the record asks for. That it cannot be done is the picture's fault, unless the user wanted it
/// otherwise than it was.
template <class Work>
auto as_recorded(const ReproduceOptions& options, const Work& work) {
    try {
        return work();
    } catch (const Error& error) {
        const bool is_asked = !options.model.empty() || !options.guide.empty() || !options.method.empty() ||
                              (!options.device.empty() && error.where() == "--device") ||
                              (!options.dtype.empty() && error.where() == "--dtype");
        if (is_asked || error.code() != ErrorCode::usage) throw;
        throw Error(ErrorCode::model_invalid, options.file + ", gass",
                    error.where() + ": " + error.message());
    }
}

/// A picture may come from anywhere: of the files that its record names only pictures are opened.
void check_shield(const std::vector<std::string>& files, const std::string& where) {
    for (const std::string& file : files) {
        std::error_code error;
        if (!is_picture_name(file) || !fs::is_regular_file(file, error)) {
            fail(ErrorCode::model_not_found, where,
                 "its set was kept away from {}, which is no {} on this machine", in_quotes(file),
                 picture_kinds());
        }
    }
}

}  // namespace

int reproduce_image(const CommandLine&, const ReproduceOptions& options) {
    settle_file_set(fs::path(options.file).parent_path());
    const RecordedImage recorded = read_recorded(options.file);
    const Settings settings = settings_of(recorded, options);
    const PictureOutput output = PictureOutput::from(settings);
    Request request = as_recorded(options, [&] { return request_from(settings); });
    request.prompt = recorded.record.prompt;
    request.seeds = recorded.record.seeds;
    request.variation = recorded.record.variation;
    request.shield_files = recorded.record.shield;
    catch_interrupt();
    Engine engine = as_recorded(options, [&] { return Engine(engine_options_from(settings)); });
    request.method = as_recorded(options, [&] { return engine.complete_method(request.method); });
    const bool twin =
        !options.method.empty() && request.method != recorded.record.settings.value("method", "");
    if (twin) {
        if (!has_method(request.method, "gass")) request.vary.clear();
        if (!has_method(request.method, "spell")) request.shield_files.clear();
        const std::int64_t starts = candidates_for(request.method, request.images);
        request.seeds = seeds_for(request.seeds, static_cast<std::size_t>(starts));
    }
    if (recorded.index >= static_cast<std::size_t>(request.images)) {
        fail(ErrorCode::model_invalid, options.file, "it is image {} of a set of {}", recorded.index + 1,
             request.images);
    }
    std::optional<OutputFolder> folder;
    if (!options.output.empty()) {
        folder.emplace(options.output);
        check_group_folder(folder->path(), static_cast<std::size_t>(request.images), *output.format);
        std::error_code error;
        if (fs::equivalent(folder->path(), fs::absolute(options.file).parent_path(), error))
            fail(ErrorCode::usage, "--output", "the image to compare with lies there; choose another folder");
    }

    check_shield(request.shield_files, options.file + ", gass");
    as_recorded(options, [&] {
        engine.complete(request);
        output.check_size(*request.width, *request.height);
    });
    engine.load();
    Progress progress(ProgressMode::automatic, "");
    const Group group = engine.generate(request, watched_by(progress));
    progress.finish();
    if (recorded.index >= group.images.size())
        fail(ErrorCode::interrupted, "reproduce", "stopped before the image was decoded");
    const Record record = record_of(engine, request, group);
    if (folder) write_group(folder->path(), group, record, output);

    const MappedFile file(options.file);
    const std::vector<std::byte> bytes = group_picture(group, record, output, recorded.index).bytes;
    const bool same_bytes = std::equal(bytes.begin(), bytes.end(), file.bytes().begin(), file.bytes().end());
    // Both through the encoder, so that what it changes is no difference.
    const PixelDifference pixels = compare(recorded.image, decode_image(bytes, "reproduce").image);
    const std::vector<std::string> reasons = changes(recorded.record, record);

    if (options.json) {
        write_stdout(shown(Json{{"file", options.file},
                                {"index", recorded.index},
                                {"same_bytes", same_bytes},
                                {"same_pixels", pixels.largest == 0},
                                {"largest_difference", pixels.largest},
                                {"share_of_values", pixels.share},
                                {"changes", reasons}}));
    } else if (same_bytes) {
        write_stdout(fmt::format("{}: the same bytes (image {} of {}, seed {})\n", options.file,
                                 recorded.index + 1, group.images.size(), group.seeds[recorded.index]));
    } else {
        std::string out = options.file;
        out += pixels.largest == 0
                   ? ": the same pixels, another file: it was saved again, or its metadata differ\n"
                   : fmt::format(": {:.2f} % of the values differ, by at most {} levels\n",
                                 100 * pixels.share, pixels.largest);
        for (const std::string& reason : reasons) out += "  " + reason + "\n";
        if (reasons.empty() && pixels.largest > 0) {
            out += fmt::format(
                "  nothing that gass records has changed: the picture was edited, or another CPU, GPU{} "
                "rounds differently\n",
                output.format->has_quality ? fmt::format(", LibTorch or {} encoder", output.format->shown)
                                           : " or LibTorch");
        }
        write_stdout(out);
    }
    return same_bytes || twin ? 0 : exit_status(ErrorCode::check_failed);
}

}  // namespace gass::cli
