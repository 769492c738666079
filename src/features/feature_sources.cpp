#include "features/feature_sources.h"

#include <ATen/ATen.h>

#include <memory>
#include <utility>

namespace gass {

FeatureSource source_of(const FeatureEncoder& encoder, bool on_gpu) {
    return {.encoder = encoder.fingerprint() + (encoder.gives_classes() ? " classes" : ""),
            .preprocessing = encoder.preprocessing(),
            .dimension = encoder.dimension(),
            .encode = [&encoder](const at::Tensor& pixels,
                                 std::span<const std::size_t>) { return encoder.encode(pixels); },
            .on_gpu = on_gpu,
            .is_wide = encoder.is_wide()};
}

FeatureSource source_of(const RewardModel& model, std::vector<std::string> prompts, bool on_gpu) {
    const auto texts = std::make_shared<const std::vector<std::string>>(std::move(prompts));
    return {.encoder = model.fingerprint(),
            .preprocessing = model.preprocessing(),
            .dimension = 1,
            .encode =
                [&model, texts](const at::Tensor& pixels, std::span<const std::size_t> files) {
                    std::vector<std::string> own;
                    for (const std::size_t file : files) own.push_back(texts->at(file));
                    return model.scores(pixels, own).unsqueeze(1);
                },
            .extra_input = [texts](std::size_t file) { return texts->at(file); },
            .on_gpu = on_gpu};
}

EncoderInfo description_of(const FeatureEncoder& encoder) {
    return {encoder.name(), encoder.fingerprint(), encoder.preprocessing().description()};
}

EncoderInfo description_of(const RewardModel& model) {
    return {model.name(), model.fingerprint(), model.preprocessing().description()};
}

}  // namespace gass
