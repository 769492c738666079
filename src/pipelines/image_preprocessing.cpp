#include "pipelines/image_preprocessing.h"

#include "core/fail.h"
#include "core/quote.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

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

/// Keys' cubic with a = −1/2
double bicubic(double x) {
    constexpr double a = -0.5;
    x = std::abs(x);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
    return 0;
}

/// A stretch of a side that is resized.
struct Stretch {
    std::int64_t length;  // of the whole side
    std::int64_t first;
    std::int64_t count;
};

/// What each value of a stretch takes from each of `from`: [count, from]. Only what is kept, since a side may
/// be very long.
at::Tensor filter_matrix(std::int64_t from, const Stretch& to) {
    const double scale = static_cast<double>(from) / static_cast<double>(to.length);
    const double stretch = std::max(scale, 1.0);  // shrinking widens the filter: that is the antialiasing
    const double reach = 2 * stretch;
    at::Tensor matrix = at::zeros({to.count, from}, at::kDouble);
    for (std::int64_t i = 0; i < to.count; ++i) {
        const double centre = (static_cast<double>(to.first + i) + 0.5) * scale;
        const auto first = std::max<std::int64_t>(0, static_cast<std::int64_t>(centre - reach + 0.5));
        const auto end = std::min(from, static_cast<std::int64_t>(centre + reach + 0.5));
        double* row = matrix.data_ptr<double>() + i * from;
        double sum = 0;
        for (std::int64_t j = first; j < end; ++j)
            sum += row[j] = bicubic((static_cast<double>(j) - centre + 0.5) / stretch);
        for (std::int64_t j = first; j < end; ++j) row[j] /= sum;
    }
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
