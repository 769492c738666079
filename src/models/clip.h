#pragma once

#include "models/clip_text.h"
#include "models/clip_vision.h"

namespace gass {

struct ClipConfig {
    ClipTextConfig text;
    ClipVisionConfig vision;

    static ClipConfig from_json(const Json& json, std::string_view where);
};

/// CLIPModel: both halves in one file.
struct Clip {
    ClipText text;
    ClipVision vision;
    at::Tensor logit_scale;  // [], its logarithm

    Clip(const nn::Parameters& place, const ClipConfig& config);

    /// Scaled cosines of projected embeddings: [N, P], [M, P] → [N, M].
    at::Tensor logits_per_text(const at::Tensor& text_embeds, const at::Tensor& image_embeds) const;
};

}  // namespace gass
