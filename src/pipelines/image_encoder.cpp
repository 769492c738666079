#include "pipelines/image_encoder.h"

#include "loading/component.h"
#include "models/prompt_tokens.h"

#include <ATen/Functions.h>

namespace gass {
namespace {

const ModelComponent& clip_of(const Model& model) {
    const ModelComponent* component = model.find("model");
    if (component == nullptr || component->class_name != "CLIPModel") {
        fail(ErrorCode::model_invalid, model.folder.root().string(),
             "it is a {}; a guide must be a CLIPModel", model.class_name);
    }
    return *component;
}

ImagePreprocessing preprocessing_of(const Model& model, std::int64_t side) {
    const auto config = preprocessor_config_of(model.folder);
    if (!config) return {.shortest_edge = side, .crop = side};
    const std::string where = model.folder.shown(kPreprocessorConfigFile);
    const ImagePreprocessing result = ImagePreprocessing::from(*config, where);
    if (result.crop != side || result.shortest_edge < side) {
        fail(ErrorCode::model_invalid, where, "it cuts {} of {} pixels, the network takes {}", result.crop,
             result.shortest_edge, side);
    }
    return result;
}

at::Tensor unit(const at::Tensor& rows) {
    const at::Tensor wide = rows.to(at::kFloat);
    return wide / wide.norm(2, -1, /*keepdim=*/true).clamp_min(1e-12);
}

}  // namespace

ImageEncoder::ImageEncoder(const Model& model, nn::Placement placement)
    : placement_(placement),
      config_(config_of<ClipConfig>(clip_of(model))),
      preprocessing_(preprocessing_of(model, config_.vision.image_size)),
      tokenizer_(tokenizer_of(model, "tokenizer")),
      clip_(network_of<Clip>(clip_of(model), config_, placement)) {
    check_tokenizer(*tokenizer_, tokenizer_->max_length(), config_.text, model.folder.root().string());
}

at::Tensor ImageEncoder::embed(const at::Tensor& images) const {
    const at::Tensor pixels = preprocessing_(images.to(placement_.device)).to(placement_.dtype);
    return unit(clip_.get()->vision(pixels).image_embeds);
}

at::Tensor ImageEncoder::embed_text(const std::string& text) const {
    const auto length = static_cast<std::int64_t>(tokenizer_->max_length());
    const at::Tensor ids = token_ids(*tokenizer_, text, length, placement_.device);
    return unit(clip_.get()->text(ids).text_embeds).squeeze(0);
}

}  // namespace gass
