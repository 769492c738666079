#include "guidance/cads.h"

#include "guidance/levels.h"
#include "tensor/random.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace gass {

void CadsParams::visit(ParameterVisitor& v) {
    v.number("tau1", tau1, {0, 1}, "the prompt is clear from this time on (1 noise, 0 image)");
    v.number("tau2", tau2, {0, 2}, "and nothing but noise before this one");
    v.number("scale", scale, {0, 10}, "how strong the noise is; 0 is off");
    v.number("mix", mix, {0, 1}, "how far mean and deviation are put back to the prompt's own (psi)");
    v.choice("time", time, "timestep|fraction", "what tau1 and tau2 are: timestep / 1000, or steps left");
    v.boolean("pooled", pooled, "noise the pooled embedding as well");
    v.boolean("uncond", uncond, "noise the negative prompt as well");
}

double Cads::clarity(const CadsParams& params, double time) {
    if (time <= params.tau1) return 1.0;
    if (time >= params.tau2) return 0.0;
    return (params.tau2 - time) / (params.tau2 - params.tau1);
}

at::Tensor Cads::noised(const at::Tensor& embeddings, double clarity) {
    // Drawn on the CPU, so that every device gets the same numbers.
    const at::Tensor draws =
        at::randn(embeddings.sizes(), random_, at::TensorOptions(at::kFloat)).to(embeddings.device());
    const at::Tensor given = embeddings.to(at::kFloat).flatten(1);
    const at::Tensor mixed =
        std::sqrt(clarity) * given + params_.scale * std::sqrt(1 - clarity) * draws.flatten(1);
    const auto [deviation, mean] = at::std_mean(given, 1, /*unbiased=*/true, /*keepdim=*/true);
    const auto [mixed_deviation, mixed_mean] = at::std_mean(mixed, 1, /*unbiased=*/true, /*keepdim=*/true);
    const at::Tensor rescaled = (mixed - mixed_mean) / mixed_deviation.clamp_min(1e-12) * deviation + mean;
    return (params_.mix * rescaled + (1 - params_.mix) * mixed).reshape(embeddings.sizes()).to(embeddings);
}

Condition Cads::noised(const Condition& condition, const GroupStep& at) {
    const double clear = clarity(params_, params_.time == "fraction" ? steps_left(at) : at.time);
    if (clear == 1.0 || params_.scale == 0.0) return condition;
    if (!random_) random_ = make_stream(at.seeds->front(), Purpose::method);
    Condition result = condition;
    result.sequence = noised(condition.sequence, clear);
    if (params_.pooled && condition.pooled.defined()) result.pooled = noised(condition.pooled, clear);
    return result;
}

Condition Cads::condition(const Condition& condition, const GroupStep& at) {
    return noised(condition, at);
}

Condition Cads::unconditional(const Condition& unconditional, const GroupStep& at) {
    return params_.uncond ? noised(unconditional, at) : unconditional;
}

}  // namespace gass
