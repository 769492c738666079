#include "eval/making/encoders.h"

#include "core/fail.h"
#include "core/hash.h"
#include "measure/metric/result.h"

#include <ATen/ATen.h>

#include <map>
#include <tuple>

namespace gass::eval {
namespace {

ImageFeatures from_tensor(const std::string& key, const at::Tensor& rows) {
    const at::Tensor plain = rows.to(at::kFloat).contiguous();
    const auto* numbers = plain.const_data_ptr<float>();
    return {.encoder = key,
            .rows = plain.size(0),
            .columns = plain.size(1),
            .numbers = std::vector<float>(numbers, numbers + plain.numel())};
}

}  // namespace

Encoder::Encoder(const SuiteMetric& metric, const nn::Placement& placement)
    : on_gpu_(!placement.device.is_cpu()) {
    const MetricSpec& spec = spec_of(metric.metric.value());
    if (spec.needs_reward) {
        reward_.emplace(metric.encoder, metric.resize_first, placement);
    } else {
        encoder_ = open_encoder({.name = metric.encoder,
                                 .resize_first = metric.resize_first,
                                 .clean = spec.needs_clean,
                                 .classes = spec.needs_classes},
                                placement);
        texts_.emplace(*encoder_);
    }
    key_ = hash_text(description().dump() + (spec.needs_classes ? " classes" : ""));
}

void Encoder::check(const SuiteMetric& metric) const {
    const MetricSpec& spec = spec_of(metric.metric.value());
    if (reward_ && !spec.needs_reward)
        fail(ErrorCode::usage, metric.id, "{} is an ImageReward, which scores; {} needs an encoder",
             metric.encoder, spec.name);
    if (encoder_ && encoder_->is_wide())
        fail(ErrorCode::usage, metric.id,
             "{} makes {} numbers of a picture, too many to be kept with a run; measure its pictures by "
             "`gass measure`",
             metric.encoder, encoder_->dimension());
    if (encoder_ && spec.needs_text && !encoder_->reads_text())
        fail(ErrorCode::usage, metric.id, "{} reads no prompts, and {} needs them: a CLIP model does",
             metric.encoder, spec.name);
    if (encoder_ && !spec.only_kind.empty() && encoder_->kind() != spec.only_kind)
        fail(ErrorCode::usage, metric.id, "{} needs {}; {} is another network", spec.name, spec.only_kind,
             metric.encoder);
}

Json Encoder::description() const {
    return to_json(encoder_ ? description_of(*encoder_) : description_of(*reward_));
}

ImageFeatures Encoder::encode(const std::vector<Image>& images,
                              const std::vector<std::string>& prompts) const {
    const FeatureSource from = encoder_ ? source() : source_of(*reward_, prompts, on_gpu_);
    return from_tensor(key_, features_of(images, from));
}

EncoderSet::EncoderSet(const Suite& suite, const nn::Placement& placement) {
    std::map<std::tuple<std::string, std::int64_t, bool, bool>, Encoder*> known;
    for (const SuiteMetric& metric : suite.metrics) {
        if (!metric.metric) {
            by_metric_.push_back(nullptr);
            continue;
        }
        const MetricSpec& spec = spec_of(*metric.metric);
        Encoder*& encoder =
            known[{metric.encoder, metric.resize_first, spec.needs_clean, spec.needs_classes}];
        if (encoder == nullptr)
            encoder = encoders_.emplace_back(std::make_unique<Encoder>(metric, placement)).get();
        encoder->check(metric);
        by_metric_.push_back(encoder);
    }
}

std::vector<std::string> EncoderSet::keys() const {
    std::vector<std::string> keys;
    for (const auto& encoder : encoders_) keys.push_back(encoder->key());
    return keys;
}

at::Tensor tensor_of(const ImageFeatures& features) {
    return at::tensor(features.numbers, at::kFloat).reshape({features.rows, features.columns});
}

}  // namespace gass::eval
