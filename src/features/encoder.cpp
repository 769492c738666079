#include "features/encoder.h"

#include "catalog/fingerprint.h"
#include "catalog/known_encoders.h"
#include "core/fail.h"
#include "core/quote.h"
#include "features/network_encoder.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace gass {
namespace {

constexpr std::string_view kInception = "InceptionV3";

/// The levels themselves, pixel after pixel as numpy flattens a picture.
class PixelEncoder : public FeatureEncoder {
  public:
    explicit PixelEncoder(EncoderTraits given) : FeatureEncoder(std::move(given)) {}

    at::Tensor encode(const at::Tensor& pixels) const override {
        return pixels.permute({0, 2, 3, 1}).flatten(1).to(at::kCPU, at::kFloat);
    }
};

std::unique_ptr<FeatureEncoder> open_pixels(EncoderTraits traits) {
    traits.kind = kPixels;
    traits.preprocessing = Preprocessing::pixels();
    traits.dimension = 3 * traits.preprocessing.size.height * traits.preprocessing.size.width;
    return std::make_unique<PixelEncoder>(std::move(traits));
}

struct Row {
    std::string_view class_name;
    std::string_view kind;
    std::unique_ptr<FeatureEncoder> (*open)(EncoderTraits, const EncoderRequest&, nn::Placement);
};

template <auto open>
std::unique_ptr<FeatureEncoder> plain(EncoderTraits traits, const EncoderRequest&, nn::Placement placement) {
    return open(std::move(traits), placement);
}

std::unique_ptr<FeatureEncoder> inception(EncoderTraits traits, const EncoderRequest& request,
                                          nn::Placement placement) {
    traits.classes = request.classes;
    return open_inception(std::move(traits), request.clean, placement);
}

constexpr std::array kEncoders{
    Row{"CLIPModel", "clip", plain<open_clip>},
    Row{"CLIPVisionModelWithProjection", "clip", plain<open_clip_vision>},
    Row{"Dinov2Model", "dinov2", plain<open_dinov2>},
    Row{"SSCDResNet", "sscd", plain<open_sscd>},
    Row{kInception, "inception", inception},
    Row{"LPIPS", "lpips", plain<open_lpips>},
};

[[noreturn]] void refuse(const std::string& name, std::string_view class_name) {
    std::vector<std::string_view> classes;
    std::ranges::transform(kEncoders, std::back_inserter(classes), &Row::class_name);
    fail(ErrorCode::usage, "encoder", "{} is a {}; pictures are encoded by a {}, or as \"{}\"",
         in_quotes(name), in_quotes(class_name), fmt::join(classes, ", a "), kPixels);
}

}  // namespace

FeatureEncoder::FeatureEncoder(EncoderTraits traits) : traits_(std::move(traits)) {
    traits_.preprocessing.lanczos_first = traits_.resize_first;
}

const std::string& FeatureEncoder::fingerprint() const {
    if (fingerprint_.empty() && traits_.model) fingerprint_ = gass::fingerprint(*traits_.model);
    return fingerprint_;
}

at::Tensor FeatureEncoder::encode_text(const std::string&) const {
    fail(ErrorCode::usage, "encoder", "{} reads no texts; a CLIPModel with its tokenizer does",
         in_quotes(name()));
}

std::unique_ptr<FeatureEncoder> open_encoder(const EncoderRequest& request, nn::Placement placement) {
    constexpr std::int64_t kLargest = 4096;
    if (request.resize_first < 0 || request.resize_first > kLargest) {
        fail(ErrorCode::usage, "encoder", "pictures can be made 1 to {} pixels wide first (0: not), not {}",
             kLargest, request.resize_first);
    }
    EncoderTraits traits;
    traits.name = request.name;
    traits.resize_first = request.resize_first;
    if (request.name != kPixels) traits.model = open_encoder_model(request.name);
    const std::string class_name = traits.model ? traits.model->class_name : std::string();
    if ((request.clean || request.classes) && class_name != kInception) {
        fail(ErrorCode::usage, "encoder", "{} needs an {} of the fid form; {} is none",
             request.clean ? "clean-fid's resizing" : "a score of classes", kInception,
             in_quotes(request.name));
    }
    if (!traits.model) return open_pixels(std::move(traits));
    const auto* const row = std::ranges::find(kEncoders, class_name, &Row::class_name);
    if (row == kEncoders.end()) refuse(request.name, class_name);
    traits.kind = row->kind;
    return row->open(std::move(traits), request, placement);
}

}  // namespace gass
