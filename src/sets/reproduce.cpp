#include "sets/reproduce.h"

#include "core/fail.h"
#include "engine/given_pictures.h"
#include "engine/group_files.h"
#include "engine/output_folder.h"
#include "engine/request.h"
#include "io/file.h"
#include "io/file_set.h"
#include "io/picture_format.h"
#include "record/changes.h"
#include "record/record_file.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace gass {
namespace {

namespace fs = std::filesystem;

/// What is compared: one picture, or all of a set in its folder.
std::vector<RecordedPictureFile> read_pictures(const ReproduceOrder& order) {
    std::error_code error;
    if (!fs::is_directory(order.file, error)) {
        settle_file_set(order.file.parent_path());
        return {read_picture_record(order.file)};
    }
    std::vector<RecordedPictureFile> pictures;
    for (const fs::path& file : recorded_pictures(order.file)) {
        pictures.push_back(read_picture_record(file));
        if (pictures.back().record != pictures.front().record)
            fail(ErrorCode::model_invalid, file.string(), "it is of another set than those before it");
    }
    return pictures;
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
    Reproducing(const ReproduceOrder& order, std::vector<RecordedPictureFile> pictures)
        : order_(order),
          compared_(std::move(pictures)),
          before_(compared_.front().record),
          wanted_(before_),
          where_(order.file.string() + ", gass") {
        RecordedSettings& settings = wanted_.settings;
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

    std::vector<Reproduction> run(const std::function<Events()>& loaded) {
        const Engine engine = as_recorded(order_, [&] { return Engine(engine_options_from(wanted_)); });
        Request request = request_from(wanted_);
        check_recorded_pictures(wanted_, where_);
        Plan plan = as_recorded(order_, [&] { return engine.plan(request); });
        const bool is_twin = !order_.method.empty() && other_method(engine, request, plan);
        const auto images = static_cast<std::size_t>(plan.images());
        for (const RecordedPictureFile& picture : compared_) {
            if (picture.index >= images) {
                fail(ErrorCode::model_invalid, picture.file.string(), "it is image {} of a set of {}",
                     picture.index + 1, images);
            }
        }
        as_recorded(order_, [&] { pictures_.check_size(plan.width(), plan.height()); });
        const std::optional<OutputFolder> folder = output_folder(images);
        engine.load();
        const Group group = engine.generate(plan, loaded());
        std::vector<Reproduction> results;
        for (const RecordedPictureFile& picture : compared_) {
            if (picture.index >= group.images.size())
                fail(ErrorCode::interrupted, "reproduce", "stopped before the image was decoded");
            results.push_back(compared(picture, group, is_twin));
        }
        if (folder) write_group(folder->path(), group, pictures_);
        return results;
    }

  private:
    /// Plans the set with the order's method, if that is another one.
    bool other_method(const Engine& engine, Request& request, Plan& plan) const {
        Request other = with_method(request, order_.method);
        Plan other_plan = engine.plan(other);
        if (without_later_knobs(other_plan.method()) ==
            without_later_knobs(before_.settings.method.value_or("none")))
            return false;
        request = std::move(other);
        plan = std::move(other_plan);
        return true;
    }

    std::optional<OutputFolder> output_folder(std::size_t images) const {
        if (order_.output.empty()) return std::nullopt;
        std::optional<OutputFolder> folder(order_.output);
        check_group_folder(folder->path(), images, *pictures_.format);
        std::error_code error;
        if (fs::equivalent(folder->path(), fs::absolute(compared_.front().file).parent_path(), error))
            fail(ErrorCode::usage, SettingKey("output"),
                 "the image to compare with lies there; choose another folder");
        return folder;
    }

    Reproduction compared(const RecordedPictureFile& picture, const Group& group, bool is_twin) const {
        const GroupImage& image = group.images[picture.index];
        const MappedFile file(picture.file);
        const std::vector<std::byte> bytes = group_picture(group, picture.index, pictures_).bytes;
        // Both through the encoder, so that what it changes is no difference.
        const PixelDifference pixels = difference(picture.image, decode_image(bytes, "reproduce").image);
        Record record = group.record;
        record.settings.format = before_.settings.format;
        record.settings.quality = before_.settings.quality;
        return {
            .file = picture.file.string(),
            .index = picture.index,
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
    std::vector<RecordedPictureFile> compared_;  // of one set
    Record before_;                              // theirs
    Record wanted_;                              // with what the order wants otherwise
    std::string where_;
    PictureOutput pictures_;
};

}  // namespace

std::vector<Reproduction> reproduce(const ReproduceOrder& order, const std::function<Events()>& loaded) {
    return Reproducing(order, read_pictures(order)).run(loaded);
}

}  // namespace gass
