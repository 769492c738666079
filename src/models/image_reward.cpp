#include "models/image_reward.h"

#include <ATen/ATen.h>

#include <array>
#include <string>

namespace gass {

ImageRewardConfig ImageRewardConfig::from_json(const Json& json, std::string_view where) {
    constexpr std::size_t kHidden = 4;
    JsonReader parts(json, where);
    nn::ConfigReader reader(json, where);
    ImageRewardConfig config;
    const std::string prefix(where);
    config.vision = BlipVisionConfig::from_json(parts.at("vision_config"), prefix + " vision_config");
    config.text = BlipTextConfig::from_json(parts.at("text_config"), prefix + " text_config");
    config.image = ImageNormalization::from_json(json, reader);
    config.head_sizes = reader.integers("head_sizes");
    config.text_length = reader.integer("text_length", config.text_length, 2);
    config.score_mean = reader.number("score_mean", config.score_mean);
    config.score_deviation = reader.number("score_std", config.score_deviation);
    if (config.head_sizes.size() != kHidden) reader.refuse("\"head_sizes\" must be four sizes");
    if (config.image.size != config.vision.image_size)
        reader.refuse("\"image_size\" must be that of \"vision_config\"");
    if (config.text_length > config.text.max_positions)
        reader.refuse("\"text_length\" is more than \"max_position_embeddings\"");
    if (config.score_deviation <= 0) reader.refuse("\"score_std\" must be positive");
    reader.ignore({"architectures", "vision_config", "text_config"});
    reader.finish();
    return config;
}

ImageReward::ImageReward(const nn::Parameters& place, const ImageRewardConfig& config)
    : vision_(place / "blip" / "visual_encoder", config.vision),
      text_(place / "blip" / "text_encoder", config.text, config.vision.hidden_size),
      mean_(config.score_mean),
      deviation_(config.score_deviation) {
    constexpr std::array<std::int64_t, 5> kPositions{0, 2, 4, 6, 7};  // the others were dropouts
    std::int64_t width = config.text.hidden_size;
    for (std::size_t i = 0; i < kPositions.size(); ++i) {
        const std::int64_t out = i < config.head_sizes.size() ? config.head_sizes[i] : 1;
        head_.emplace_back(place / "mlp" / "layers" / kPositions.at(i), width, out);
        width = out;
    }
    // BLIP's projections for contrastive learning, which the published file still holds.
    for (const char* unused : {"vision_proj", "text_proj"}) {
        for (const char* name : {"weight", "bias"}) (place / "blip" / unused).allow(name);
    }
}

at::Tensor ImageReward::operator()(const at::Tensor& pixels, const at::Tensor& ids,
                                   const at::Tensor& mask) const {
    at::Tensor x = text_(ids, mask, vision_(pixels)).select(1, 0);  // [B, hidden], the first token
    for (const nn::Linear& layer : head_) x = layer(x);
    return (x.squeeze(-1).to(at::kFloat) - mean_) / deviation_;  // [B]
}

}  // namespace gass
