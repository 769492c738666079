#include "metrics/similarity.h"

#include "core/fail.h"
#include "metrics/features.h"

#include <ATen/ATen.h>

namespace gass {

Estimate mean_pairwise_similarity(const at::Tensor& features) {
    const at::Tensor points = unit_features(features, "the features of the pairwise similarity");
    const auto images = static_cast<double>(points.size(0));
    if (points.size(0) < 2) {
        fail(ErrorCode::usage, "pairwise similarity", "needs two images or more, got {}", points.size(0));
    }
    const at::Tensor to_others = (points.mv(points.sum(0)) - points.square().sum(1)) / (images - 1);
    return estimate_of(to_others.mean().item<double>(), 2 * to_others);
}

Estimate mean_similarity(const at::Tensor& features) {
    const at::Tensor points = unit_features(features, "the features of the mean similarity");
    const at::Tensor mean = points.mean(0);
    return estimate_of(mean.dot(mean).item<double>(), 2 * points.mv(mean));
}

namespace {

/// [n]
at::Tensor text_cosines(const at::Tensor& images, const at::Tensor& texts) {
    const at::Tensor all_texts = texts.dim() == 1 ? texts.unsqueeze(0) : texts;
    const at::Tensor points = unit_features(images, "the images of the CLIP score");
    const at::Tensor prompts = unit_features(all_texts, "the texts of the CLIP score");
    check_same_width(points, "the images of the CLIP score", prompts, "the texts");
    if (prompts.size(0) != 1 && prompts.size(0) != points.size(0)) {
        fail(ErrorCode::usage, "CLIP score", "expected one text, or one for each of {} images, got {}",
             points.size(0), prompts.size(0));
    }
    return (points * prompts).sum(1);
}

}  // namespace

Estimate clip_score(const at::Tensor& images, const at::Tensor& texts) {
    return mean_estimate(text_cosines(images, texts));
}

Estimate weighted_clip_score(const at::Tensor& images, const at::Tensor& texts) {
    return mean_estimate(2.5 * text_cosines(images, texts).clamp_min(0));
}

}  // namespace gass
