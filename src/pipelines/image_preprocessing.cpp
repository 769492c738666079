#include "pipelines/image_preprocessing.h"

#include "core/fail.h"
#include "core/quote.h"
#include "io/filter_taps.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace gass {
namespace {

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

ImagePreprocessing ImagePreprocessing::from(const PreprocessorConfig& config, std::string_view where) {
    for (const auto& [does, key] : {std::pair(config.resizes, "do_resize"),
                                    {config.crops, "do_center_crop"},
                                    {config.normalizes, "do_normalize"}}) {
        if (does) continue;
        fail(ErrorCode::model_invalid, where, "{} is false; gass does this always", in_quotes(key));
    }
    if (config.filter != Filter::bicubic)
        fail(ErrorCode::model_invalid, where, "\"resample\" must be 3, bicubic, in a guide");
    if (!config.keeps_shape || config.crop.height != config.crop.width) {
        fail(ErrorCode::model_invalid, where,
             "a guide's \"size\" must be its shortest edge, and its \"crop_size\" a square");
    }
    return {.shortest_edge = config.size.height,
            .crop = config.crop.height,
            .mean = config.mean,
            .deviation = config.deviation};
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
