#include "catalog/preprocessor_config.h"

#include "core/fail.h"
#include "core/quote.h"

#include <algorithm>

namespace gass {
namespace {

/// Reads what CLIPImageProcessor and BitImageProcessor know, which is the same.
class Reader {
  public:
    Reader(const Json& json, std::string_view where) : reader_(json, where) {}

    bool flag(const char* key, bool fallback) {
        const Json* value = reader_.find(key);
        if (value == nullptr) return fallback;
        if (!value->is_boolean()) refuse(key, "true or false", *value);
        return value->get<bool>();
    }

    double positive(const char* key, double fallback) {
        const Json* value = reader_.find(key);
        if (value == nullptr) return fallback;
        if (!value->is_number() || !(value->get<double>() > 0)) refuse(key, "a positive number", *value);
        return value->get<double>();
    }

    void triple(const char* key, std::array<double, 3>& numbers) {
        const Json* value = reader_.find(key);
        if (value == nullptr) return;
        const bool fits = value->is_array() && value->size() == numbers.size() &&
                          std::ranges::all_of(*value, [](const Json& x) { return x.is_number(); });
        if (!fits) refuse(key, "three numbers", *value);
        std::ranges::transform(*value, numbers.begin(), [](const Json& x) { return x.get<double>(); });
    }

    /// The processor, if the file says which: another one would do other things.
    void processor(const char* key) {
        const Json* value = reader_.find(key);
        if (value == nullptr) return;
        const std::string name = value->is_string() ? value->get<std::string>() : "";
        if (!name.starts_with("CLIP") && !name.starts_with("Bit"))
            refuse(key, "a CLIPImageProcessor or BitImageProcessor", *value);
    }

    Filter filter(Filter fallback) {
        const Json* value = reader_.find("resample");
        if (value == nullptr) return fallback;
        if (*value == 1) return Filter::lanczos;  // the numbers are Pillow's
        if (*value == 2) return Filter::bilinear;
        if (*value == 3) return Filter::bicubic;
        refuse("resample", "1, 2 or 3 (Lanczos, bilinear, bicubic)", *value);
    }

    /// A number, {"shortest_edge": n} or {"height": n, "width": m}.
    void size(PreprocessorConfig& result) {
        const Json* value = reader_.find("size");
        if (value == nullptr) return;
        if (value->is_object() && value->size() == 1 && value->contains("shortest_edge")) {
            const std::int64_t edge = side("size", value->at("shortest_edge"));
            result.size = {edge, edge};
        } else if (value->is_object()) {
            result.keeps_shape = false;
            result.size = both_sides("size", *value);
        } else {
            const std::int64_t edge = side("size", *value);
            result.size = {edge, edge};
        }
    }

    PictureSize crop(const PictureSize& fallback) {
        const Json* value = reader_.find("crop_size");
        if (value == nullptr) return fallback;
        if (value->is_object()) return both_sides("crop_size", *value);
        const std::int64_t length = side("crop_size", *value);
        return PictureSize{length, length};
    }

    [[noreturn]] void refuse(const char* key, std::string_view expected, const Json& value) const {
        fail(ErrorCode::model_invalid, reader_.where(), "{} must be {}, not {}", in_quotes(key), expected,
             in_quotes(value.dump()));
    }

  private:
    std::int64_t side(const char* key, const Json& value) const {
        constexpr std::int64_t kLargest = 4096;
        const bool fits = value.is_number_integer() && value >= 1 && value <= kLargest;
        if (!fits) refuse(key, "from 1 to 4096 pixels", value);
        return value.get<std::int64_t>();
    }

    PictureSize both_sides(const char* key, const Json& value) const {
        if (value.size() != 2 || !value.contains("height") || !value.contains("width"))
            refuse(key, "a number of pixels, or \"height\" and \"width\"", value);
        return {side(key, value.at("height")), side(key, value.at("width"))};
    }

    JsonReader reader_;
};

}  // namespace

PreprocessorConfig PreprocessorConfig::from_json(const Json& json, std::string_view where) {
    Reader reader(json, where);
    PreprocessorConfig result;
    reader.processor("image_processor_type");
    reader.processor("feature_extractor_type");
    reader.size(result);
    result.filter = reader.filter(result.filter);
    result.crop = reader.crop(result.crop);
    result.factor = reader.positive("rescale_factor", result.factor);
    reader.triple("image_mean", result.mean);
    reader.triple("image_std", result.deviation);
    if (std::ranges::any_of(result.deviation, [](double x) { return !(x > 0); }))
        reader.refuse("image_std", "positive", json.at("image_std"));
    if (reader.flag("do_pad", false)) reader.refuse("do_pad", "false", json.at("do_pad"));
    result.resizes = reader.flag("do_resize", result.resizes);
    result.crops = reader.flag("do_center_crop", result.crops);
    result.rescales = reader.flag("do_rescale", result.rescales);
    result.normalizes = reader.flag("do_normalize", result.normalizes);
    return result;
}

std::optional<PreprocessorConfig> preprocessor_config_of(const ModelFolder& folder) {
    if (!folder.has(kPreprocessorConfigFile)) return std::nullopt;
    return PreprocessorConfig::from_json(folder.json(kPreprocessorConfigFile),
                                         folder.shown(kPreprocessorConfigFile));
}

}  // namespace gass
