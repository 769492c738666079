#include "eval/looks.h"

#include "core/fail.h"
#include "core/hash.h"
#include "measure/result.h"

#include <ATen/ATen.h>

#include <map>
#include <tuple>

namespace gass::eval {
namespace {

SeenImages seen_of(const std::string& key, const at::Tensor& features) {
    const at::Tensor plain = features.to(at::kFloat).contiguous();
    const auto* numbers = plain.const_data_ptr<float>();
    return {.encoder = key,
            .rows = plain.size(0),
            .columns = plain.size(1),
            .numbers = std::vector<float>(numbers, numbers + plain.numel())};
}

}  // namespace

Look::Look(const SuiteMetric& metric, const nn::Placement& placement) : on_gpu_(!placement.device.is_cpu()) {
    const MetricSpec& spec = spec_of(metric.metric.value());
    if (spec.needs_reward) {
        reward_.emplace(metric.encoder, metric.resize_first, placement);
    } else {
        encoder_ = open_encoder(
            {.name = metric.encoder, .resize_first = metric.resize_first, .clean = spec.needs_clean},
            placement);
        texts_.emplace(*encoder_);
    }
    key_ = hash_text(description().dump());
}

void Look::check(const SuiteMetric& metric) const {
    const MetricSpec& spec = spec_of(metric.metric.value());
    if (reward_ && !spec.needs_reward)
        fail(ErrorCode::usage, metric.id, "{} is an ImageReward, which scores; {} needs an encoder",
             metric.encoder, spec.name);
    if (encoder_ && spec.needs_text && !encoder_->reads_text())
        fail(ErrorCode::usage, metric.id, "{} reads no prompts, and {} needs them: a CLIP model does",
             metric.encoder, spec.name);
    if (encoder_ && !spec.only_kind.empty() && encoder_->kind() != spec.only_kind)
        fail(ErrorCode::usage, metric.id, "{} needs {}; {} is another network", spec.name, spec.only_kind,
             metric.encoder);
}

Json Look::description() const {
    return to_json(encoder_ ? description_of(*encoder_) : description_of(*reward_));
}

SeenImages Look::at(const std::vector<Image>& images, const std::vector<std::string>& prompts) const {
    return seen_of(key_, features_of(images, encoder_ ? source() : source_of(*reward_, prompts, on_gpu_)));
}

Looks::Looks(const Suite& suite, const nn::Placement& placement) {
    std::map<std::tuple<std::string, std::int64_t, bool>, Look*> known;
    for (const SuiteMetric& metric : suite.metrics) {
        if (!metric.metric) {
            by_metric_.push_back(nullptr);
            continue;
        }
        Look*& look = known[{metric.encoder, metric.resize_first, spec_of(*metric.metric).needs_clean}];
        if (look == nullptr) look = looks_.emplace_back(std::make_unique<Look>(metric, placement)).get();
        look->check(metric);
        by_metric_.push_back(look);
    }
}

std::vector<std::string> Looks::keys() const {
    std::vector<std::string> keys;
    for (const auto& look : looks_) keys.push_back(look->key());
    return keys;
}

at::Tensor tensor_of(const SeenImages& seen) {
    return at::tensor(seen.numbers, at::kFloat).reshape({seen.rows, seen.columns});
}

}  // namespace gass::eval
