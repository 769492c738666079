#include "models/inception.h"

#include "core/fail.h"

#include <ATen/ATen.h>

#include <array>
#include <string>

namespace gass {
namespace {

using nn::NormedConv2d;
using nn::Parameters;
using Pool = Inception::Pool;

struct Shape {
    std::array<std::int64_t, 2> kernel;
    std::int64_t stride = 1;
    bool same_size = true;  // padded to keep the size
};

constexpr Shape k1x1{{1, 1}};
constexpr Shape k3x3{{3, 3}};
constexpr Shape k3x3Valid{{3, 3}, 1, false};
constexpr Shape k3x3Halve{{3, 3}, 2, false};
constexpr Shape k5x5{{5, 5}};
constexpr Shape k1x7{{1, 7}};
constexpr Shape k7x1{{7, 1}};
constexpr Shape k1x3{{1, 3}};
constexpr Shape k3x1{{3, 1}};

NormedConv2d convolution(const Parameters& place, std::int64_t in, std::int64_t out, const Shape& shape) {
    constexpr double kEpsilon = 1e-3;
    const auto padding = [&](std::size_t i) { return shape.same_size ? shape.kernel.at(i) / 2 : 0; };
    return {place / "conv",
            place / "bn",
            in,
            out,
            {.kernel = shape.kernel,
             .stride = shape.stride,
             .padding = {padding(0), padding(1)},
             .epsilon = kEpsilon}};
}

struct Step {
    std::string_view name;
    std::int64_t out;
    Shape shape;
};

/// Convolutions in a row, by their names in the block.
std::vector<NormedConv2d> chain(const Parameters& place, std::int64_t in, std::initializer_list<Step> steps) {
    std::vector<NormedConv2d> row;
    for (const Step& step : steps) {
        row.push_back(convolution(place / step.name, in, step.out, step.shape));
        in = step.out;
    }
    return row;
}

// The five kinds of block, by the letters of torchvision's class names.

Inception::Mixed block_a(const Parameters& place, Pool pool, std::int64_t in, std::int64_t pool_features) {
    return {
        {{.chain = chain(place, in, {{"branch1x1", 64, k1x1}})},
         {.chain = chain(place, in, {{"branch5x5_1", 48, k1x1}, {"branch5x5_2", 64, k5x5}})},
         {.chain = chain(
              place, in,
              {{"branch3x3dbl_1", 64, k1x1}, {"branch3x3dbl_2", 96, k3x3}, {"branch3x3dbl_3", 96, k3x3}})},
         {.pool = pool, .chain = chain(place, in, {{"branch_pool", pool_features, k1x1}})}}};
}

Inception::Mixed block_b(const Parameters& place, std::int64_t in) {
    return {{{.chain = chain(place, in, {{"branch3x3", 384, k3x3Halve}})},
             {.chain = chain(place, in,
                             {{"branch3x3dbl_1", 64, k1x1},
                              {"branch3x3dbl_2", 96, k3x3},
                              {"branch3x3dbl_3", 96, k3x3Halve}})},
             {.pool = Pool::max_and_halve}}};
}

Inception::Mixed block_c(const Parameters& place, Pool pool, std::int64_t in, std::int64_t width) {
    return {{{.chain = chain(place, in, {{"branch1x1", 192, k1x1}})},
             {.chain = chain(
                  place, in,
                  {{"branch7x7_1", width, k1x1}, {"branch7x7_2", width, k1x7}, {"branch7x7_3", 192, k7x1}})},
             {.chain = chain(place, in,
                             {{"branch7x7dbl_1", width, k1x1},
                              {"branch7x7dbl_2", width, k7x1},
                              {"branch7x7dbl_3", width, k1x7},
                              {"branch7x7dbl_4", width, k7x1},
                              {"branch7x7dbl_5", 192, k1x7}})},
             {.pool = pool, .chain = chain(place, in, {{"branch_pool", 192, k1x1}})}}};
}

Inception::Mixed block_d(const Parameters& place, std::int64_t in) {
    return {{{.chain = chain(place, in, {{"branch3x3_1", 192, k1x1}, {"branch3x3_2", 320, k3x3Halve}})},
             {.chain = chain(place, in,
                             {{"branch7x7x3_1", 192, k1x1},
                              {"branch7x7x3_2", 192, k1x7},
                              {"branch7x7x3_3", 192, k7x1},
                              {"branch7x7x3_4", 192, k3x3Halve}})},
             {.pool = Pool::max_and_halve}}};
}

Inception::Mixed block_e(const Parameters& place, Pool pool, std::int64_t in) {
    const auto fork = [&](std::string_view wide, std::string_view high) {
        return std::vector{convolution(place / wide, 384, 384, k1x3),
                           convolution(place / high, 384, 384, k3x1)};
    };
    return {{{.chain = chain(place, in, {{"branch1x1", 320, k1x1}})},
             {.chain = chain(place, in, {{"branch3x3_1", 384, k1x1}}),
              .fork = fork("branch3x3_2a", "branch3x3_2b")},
             {.chain = chain(place, in, {{"branch3x3dbl_1", 448, k1x1}, {"branch3x3dbl_2", 384, k3x3}}),
              .fork = fork("branch3x3dbl_3a", "branch3x3dbl_3b")},
             {.pool = pool, .chain = chain(place, in, {{"branch_pool", 192, k1x1}})}}};
}

/// The second classifier, which only training uses.
void allow_auxiliary(const Parameters& place) {
    for (const char* convolution : {"conv0", "conv1"}) {
        const Parameters part = place / convolution;
        part.allow("conv.weight");
        for (const char* name : {"weight", "bias", "running_mean", "running_var", "num_batches_tracked"})
            (part / "bn").allow(name);
    }
    for (const char* name : {"fc.weight", "fc.bias"}) place.allow(name);
}

at::Tensor pooled(Pool pool, const at::Tensor& x) {
    switch (pool) {
        case Pool::none:
            return x;
        case Pool::average:
            return at::avg_pool2d(x, 3, 1, 1);
        case Pool::average_without_padding:
            return at::avg_pool2d(x, 3, 1, 1, false, false);
        case Pool::max:
            return at::max_pool2d(x, 3, 1, 1);
        case Pool::max_and_halve:
            return at::max_pool2d(x, 3, 2);
    }
    return x;
}

at::Tensor transformed(const at::Tensor& pixels) {
    constexpr std::array<double, 3> kMean{0.485, 0.456, 0.406};
    constexpr std::array<double, 3> kDeviation{0.229, 0.224, 0.225};
    std::vector<at::Tensor> colours;
    for (std::int64_t c = 0; c < 3; ++c) {
        const auto i = static_cast<std::size_t>(c);
        colours.push_back(pixels.narrow(1, c, 1) * (kDeviation.at(i) / 0.5) + (kMean.at(i) - 0.5) / 0.5);
    }
    return at::cat(colours, 1);
}

}  // namespace

InceptionConfig InceptionConfig::from_json(const Json& json, std::string_view where) {
    nn::ConfigReader reader(json, where);
    InceptionConfig config;
    const std::string form = reader.text("form");
    if (form != "torchvision" && form != "fid") reader.refuse("\"form\" must be \"torchvision\" or \"fid\"");
    config.form = form == "fid" ? InceptionForm::fid : InceptionForm::torchvision;
    config.num_classes = reader.integer("num_classes", form == "fid" ? 1008 : 1000);
    config.transform_input = reader.boolean("transform_input", false);
    reader.require("image_size", {Inception::kImageSize});
    reader.ignore({"architectures"});
    reader.finish();
    return config;
}

at::Tensor Inception::Branch::operator()(const at::Tensor& x) const {
    at::Tensor y = pooled(pool, x);
    for (const NormedConv2d& convolution : chain) y = at::relu(convolution(y));
    if (fork.empty()) return y;
    std::vector<at::Tensor> ends;
    for (const NormedConv2d& convolution : fork) ends.push_back(at::relu(convolution(y)));
    return at::cat(ends, 1);
}

at::Tensor Inception::Mixed::operator()(const at::Tensor& x) const {
    std::vector<at::Tensor> parts;
    for (const Branch& branch : branches) parts.push_back(branch(x));
    return at::cat(parts, 1);
}

Inception::Inception(const Parameters& place, const InceptionConfig& config)
    : transform_input_(config.transform_input),
      stem_(chain(place, 3,
                  {{"Conv2d_1a_3x3", 32, k3x3Halve},
                   {"Conv2d_2a_3x3", 32, k3x3Valid},
                   {"Conv2d_2b_3x3", 64, k3x3},
                   {"Conv2d_3b_1x1", 80, k1x1},
                   {"Conv2d_4a_3x3", 192, k3x3Valid}})) {
    const bool fid = config.form == InceptionForm::fid;
    const Pool average = fid ? Pool::average_without_padding : Pool::average;
    mixed_ = {
        block_a(place / "Mixed_5b", average, 192, 32),
        block_a(place / "Mixed_5c", average, 256, 64),
        block_a(place / "Mixed_5d", average, 288, 64),
        block_b(place / "Mixed_6a", 288),
        block_c(place / "Mixed_6b", average, 768, 128),
        block_c(place / "Mixed_6c", average, 768, 160),
        block_c(place / "Mixed_6d", average, 768, 160),
        block_c(place / "Mixed_6e", average, 768, 192),
        block_d(place / "Mixed_7a", 768),
        block_e(place / "Mixed_7b", average, 1280),
        block_e(place / "Mixed_7c", fid ? Pool::max : Pool::average, 2048),
    };
    fc_ = nn::Linear(place / "fc", 2048, config.num_classes);
    if (!fid) allow_auxiliary(place / "AuxLogits");
}

Inception::Output Inception::operator()(const at::Tensor& pixels) const {
    if (pixels.size(-1) < kSmallestImage || pixels.size(-2) < kSmallestImage) {
        fail(ErrorCode::usage, "Inception", "a picture needs {} pixels a side at least, not {}×{}",
             kSmallestImage, pixels.size(-1), pixels.size(-2));
    }
    at::Tensor x = transform_input_ ? transformed(pixels) : pixels;
    for (std::size_t i = 0; i < stem_.size(); ++i) {
        x = at::relu(stem_[i](x));
        const bool before_pool = i == 2 || i == 4;
        if (before_pool) x = pooled(Pool::max_and_halve, x);
    }                                                // [B, 192, 35, 35]
    for (const Mixed& block : mixed_) x = block(x);  // [B, 2048, 8, 8]
    const at::Tensor features = x.mean({-2, -1});    // [B, 2048]
    return {features, fc_(features)};
}

at::Tensor Inception::unbiased_logits(const at::Tensor& features) const {
    return at::linear(features, fc_.weight);
}

}  // namespace gass
