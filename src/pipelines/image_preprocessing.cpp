#include "pipelines/image_preprocessing.h"

#include "core/fail.h"
#include "core/quote.h"
#include "io/filter_taps.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace gass {
namespace {

/// A size that transformers writes as a number, or as an object of which every member must be this number.
std::int64_t read_size(const Json* value, std::initializer_list<const char*> keys, std::int64_t fallback,
                       const std::string& where) {
    constexpr std::int64_t kLargest = 4096;
    if (value == nullptr) return fallback;
    std::vector<Json> sides;
    if (value->is_object()) {
        for (const char* key : keys) sides.push_back(value->value(key, Json()));
    } else {
        sides.push_back(*value);
    }
    for (const Json& side : sides) {
        const bool fits = side.is_number_integer() && side == sides.front() &&
                          side.get<std::int64_t>() >= 1 && side.get<std::int64_t>() <= kLargest;
        if (!fits) fail(ErrorCode::model_invalid, where, "gass cannot make images of {}", value->dump());
    }
    return sides.front().get<std::int64_t>();
}

void read_triple(const Json* value, std::array<double, 3>& triple, const std::string& where) {
    if (value == nullptr) return;
    const bool numbers = value->is_array() && value->size() == triple.size() &&
                         std::ranges::all_of(*value, [](const Json& x) { return x.is_number(); });
    if (!numbers)
        fail(ErrorCode::model_invalid, where, "expected three numbers, got {}", in_quotes(value->dump()));
    std::ranges::transform(*value, triple.begin(), [](const Json& x) { return x.get<double>(); });
}

/// What each value of a stretch takes from each of `from`: [count, from]. Only what is kept, since a side may
/// be very long.
at::Tensor filter_matrix(std::int64_t from, const Stretch& to) {
    const FilterTaps<double> taps = filter_taps(from, to, Filter::bicubic);
    at::Tensor matrix = at::zeros({to.count, from}, at::kDouble);
    double* row = matrix.mutable_data_ptr<double>();
    for (std::size_t i = 0; i < taps.size(); ++i, row += from)
        std::ranges::copy(taps.of(i), row + taps.first[i]);
    return matrix;
}

at::Tensor resized(const at::Tensor& images, const Stretch& down, const Stretch& across) {
    const auto along = [&](std::int64_t side, const Stretch& to, const at::Tensor& given) {
        if (given.size(side) == to.length) return given.narrow(side, to.first, to.count);
        const at::Tensor matrix = filter_matrix(given.size(side), to).to(given.options());
        return side == 3 ? given.matmul(matrix.t()) : matrix.matmul(given);
    };
    return along(2, down, along(3, across, images));
}

}  // namespace

ImagePreprocessing ImagePreprocessing::from_json(const Json& json, std::string_view where) {
    JsonReader reader(json, where);
    ImagePreprocessing result;
    result.shortest_edge =
        read_size(reader.find("size"), {"shortest_edge"}, result.shortest_edge, reader.where());
    result.crop = read_size(reader.find("crop_size"), {"height", "width"}, result.crop, reader.where());
    read_triple(reader.find("image_mean"), result.mean, reader.where());
    read_triple(reader.find("image_std"), result.deviation, reader.where());
    for (const char* key : {"do_resize", "do_center_crop", "do_normalize"}) {
        if (const Json* value = reader.find(key); value != nullptr && *value != true)
            fail(ErrorCode::model_invalid, where, "{} is {}; gass does this always", in_quotes(key),
                 value->dump());
    }
    constexpr int kBicubic = 3;  // in Pillow
    if (const Json* value = reader.find("resample"); value != nullptr && *value != kBicubic)
        fail(ErrorCode::model_invalid, where, "\"resample\" is {}; gass resizes by {}, bicubic",
             value->dump(), kBicubic);
    if (std::ranges::any_of(result.deviation, [](double x) { return !(x > 0); }))
        fail(ErrorCode::model_invalid, where, "\"image_std\" must be positive");
    return result;
}

at::Tensor ImagePreprocessing::operator()(const at::Tensor& images) const {
    const std::int64_t height = images.size(2);
    const std::int64_t width = images.size(3);
    const std::int64_t shorter = std::min(height, width);
    const auto middle_of = [&](std::int64_t side) {
        const std::int64_t length = shortest_edge * side / shorter;  // a whole number, as in transformers
        return Stretch{length, (length - crop) / 2, crop};
    };
    const at::Tensor middle = resized((images.to(at::kFloat) + 1) / 2, middle_of(height), middle_of(width));
    const auto by_colour = [&](const std::array<double, 3>& values) {
        return at::tensor(at::ArrayRef<double>(values), middle.options()).view({1, 3, 1, 1});
    };
    return (middle - by_colour(mean)) / by_colour(deviation);
}

at::Tensor resize_bicubic(const at::Tensor& images, std::int64_t height, std::int64_t width) {
    return resized(images, {height, 0, height}, {width, 0, width});
}

}  // namespace gass
