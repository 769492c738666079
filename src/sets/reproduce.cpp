#include "sets/reproduce.h"

#include "core/fail.h"
#include "core/json.h"
#include "core/quote.h"
#include "engine/group_files.h"
#include "engine/output_folder.h"
#include "engine/request.h"
#include "io/file.h"
#include "io/file_set.h"
#include "io/picture_files.h"
#include "io/picture_format.h"
#include "record/changes.h"
#include "record/record_json.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace gass {
namespace {

namespace fs = std::filesystem;

struct RecordedPicture {
    Record record;
    std::size_t index = 0;
    Image image;
};

RecordedPicture read_recorded(const fs::path& path) {
    const ImageFile file = read_image(path);
    const auto text = std::find_if(file.info.text.begin(), file.info.text.end(),
                                   [](const ImageText& entry) { return entry.key == kRecordKey; });
    if (text == file.info.text.end()) {
        fail(ErrorCode::model_invalid, path.string(),
             "it carries no record of gass: made elsewhere, or saved again without "
             "its metadata");
    }
    const std::string where = path.string() + ", gass";
    const Json json = parse_json(text->value, where);
    RecordedPicture recorded{read_record(json, where), 0, file.image};
    JsonReader reader(json, where);
    const Json* index = reader.find("index");
    if (index == nullptr)
        fail(ErrorCode::model_invalid, path.string(),
             "it is a set's sheet; reproduce one of the set's images");
    if (!index->is_number_unsigned() || index->get<std::uint64_t>() >= recorded.record.seeds.size())
        fail(ErrorCode::model_invalid, where, "\"index\" must be below {}", recorded.record.seeds.size());
    recorded.index = index->get<std::size_t>();
    return recorded;
}

struct PixelDifference {
    int largest = 0;
    double share = 0.0;  // of the values
};

PixelDifference difference(const Image& before, const Image& now) {
    if (before.width != now.width || before.height != now.height) return {255, 1.0};
    PixelDifference result;
    std::size_t unequal = 0;
    for (std::size_t i = 0; i < now.rgb.size(); ++i) {
        const int apart = std::abs(int{before.rgb[i]} - int{now.rgb[i]});
        result.largest = std::max(result.largest, apart);
        unequal += apart > 0 ? 1 : 0;
    }
    result.share = static_cast<double>(unequal) / static_cast<double>(now.rgb.size());
    return result;
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

/// Does what a record asks for. That it cannot be done is the picture's fault, unless the order wants it
/// otherwise than it was.
template <class Work>
auto as_recorded(const ReproduceOrder& order, const Work& work) {
    try {
        return work();
    } catch (const Error& error) {
        const bool is_asked = !order.model.empty() || !order.guide.empty() || !order.method.empty() ||
                              (!order.device.empty() && error.setting() == "device") ||
                              (!order.dtype.empty() && error.setting() == "dtype");
        if (is_asked || error.code() != ErrorCode::usage) throw;
        throw Error(ErrorCode::model_invalid, order.file.string() + ", gass",
                    error.where() + ": " + error.message());
    }
}

class Reproducing {
  public:
    Reproducing(const ReproduceOrder& order, RecordedPicture recorded)
        : order_(order),
          recorded_(std::move(recorded)),
          before_(recorded_.record),
          where_(order.file.string() + ", gass") {
        RecordedSettings& settings = recorded_.record.settings;
        const auto replace = [](std::optional<std::string>& setting, const std::string& wanted) {
            if (!wanted.empty()) setting = wanted;
        };
        replace(settings.model, order.model);
        replace(settings.device, order.device);
        replace(settings.dtype, order.dtype);
        replace(settings.guide, order.guide);
        if (settings.format) pictures_.format = &picture_format(*settings.format);
        if (settings.quality) pictures_.quality = static_cast<int>(*settings.quality);
    }

    Reproduction run(const std::function<Events()>& loaded) {
        const Engine engine =
            as_recorded(order_, [&] { return Engine(engine_options_from(recorded_.record)); });
        Request request = request_from(recorded_.record);
        Plan plan = as_recorded(order_, [&] { return engine.plan(request); });
        const bool is_twin = !order_.method.empty() && other_method(engine, request, plan);
        const auto images = static_cast<std::size_t>(plan.images());
        if (recorded_.index >= images) {
            fail(ErrorCode::model_invalid, order_.file.string(), "it is image {} of a set of {}",
                 recorded_.index + 1, images);
        }
        as_recorded(order_, [&] { pictures_.check_size(plan.width(), plan.height()); });
        const std::optional<OutputFolder> folder = output_folder(images);
        check_shield(request.shield_files, where_);
        engine.load();
        const Group group = engine.generate(plan, loaded());
        if (recorded_.index >= group.images.size())
            fail(ErrorCode::interrupted, "reproduce", "stopped before the image was decoded");
        if (folder) write_group(folder->path(), group, pictures_);
        return compared(group, is_twin);
    }

  private:
    /// Plans the set with the order's method, if that is another one.
    bool other_method(const Engine& engine, Request& request, Plan& plan) const {
        Request other = with_method(request, order_.method);
        Plan other_plan = engine.plan(other);
        if (other_plan.method() == before_.settings.method) return false;
        request = std::move(other);
        plan = std::move(other_plan);
        return true;
    }

    std::optional<OutputFolder> output_folder(std::size_t images) const {
        if (order_.output.empty()) return std::nullopt;
        std::optional<OutputFolder> folder(order_.output);
        check_group_folder(folder->path(), images, *pictures_.format);
        std::error_code error;
        if (fs::equivalent(folder->path(), fs::absolute(order_.file).parent_path(), error))
            fail(ErrorCode::usage, SettingKey("output"),
                 "the image to compare with lies there; choose another folder");
        return folder;
    }

    Reproduction compared(const Group& group, bool is_twin) const {
        const GroupImage& image = group.images[recorded_.index];
        const MappedFile file(order_.file);
        const std::vector<std::byte> bytes = group_picture(group, recorded_.index, pictures_).bytes;
        // Both through the encoder, so that what it changes is no difference.
        const PixelDifference pixels = difference(recorded_.image, decode_image(bytes, "reproduce").image);
        Record record = group.record;
        record.settings.format = before_.settings.format;
        record.settings.quality = before_.settings.quality;
        return {
            .index = recorded_.index,
            .images = group.images.size(),
            .seed = image.seed,
            .is_twin = is_twin,
            .same_bytes = std::equal(bytes.begin(), bytes.end(), file.bytes().begin(), file.bytes().end()),
            .largest_difference = pixels.largest,
            .share_of_values = pixels.share,
            .encoder = std::string(pictures_.format->has_quality ? pictures_.format->shown : ""),
            .changes = changes(before_, record)};
    }

    const ReproduceOrder& order_;
    RecordedPicture recorded_;  // with what the order wants otherwise
    Record before_;             // as it was
    std::string where_;
    PictureOutput pictures_;
};

}  // namespace

Reproduction reproduce(const ReproduceOrder& order, const std::function<Events()>& loaded) {
    settle_file_set(order.file.parent_path());
    return Reproducing(order, read_recorded(order.file)).run(loaded);
}

}  // namespace gass
