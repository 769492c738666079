#include "nn/layers.h"

#include <ATen/ATen.h>

namespace gass::nn {

Linear::Linear(const Parameters& place, std::int64_t in, std::int64_t out, bool has_bias)
    : weight(place.tensor("weight", {out, in})) {
    if (has_bias) bias = place.tensor("bias", {out});
}

at::Tensor Linear::operator()(const at::Tensor& x) const {
    return at::linear(x, weight, bias);
}

Conv2d::Conv2d(const Parameters& place, std::int64_t in, std::int64_t out, const Conv2dOptions& options)
    : weight(place.tensor("weight", {out, in, options.kernel, options.kernel})),
      stride(options.stride),
      padding(options.padding) {
    if (options.bias) bias = place.tensor("bias", {out});
}

at::Tensor Conv2d::operator()(const at::Tensor& x) const {
    return at::conv2d(x, weight, bias, stride, padding);
}

LayerNorm::LayerNorm(const Parameters& place, std::int64_t width, double eps)
    : weight(place.tensor("weight", {width})),
      bias(place.tensor("bias", {width})),
      size(width),
      epsilon(eps) {
}

at::Tensor LayerNorm::operator()(const at::Tensor& x) const {
    return at::layer_norm(x, {size}, weight, bias, epsilon);
}

RmsNorm::RmsNorm(const Parameters& place, std::int64_t size, double eps)
    : weight(place.tensor("weight", {size})), epsilon(eps) {
}

at::Tensor RmsNorm::operator()(const at::Tensor& x) const {
    const at::Tensor wide = x.to(at::kFloat);
    const at::Tensor normed = wide * at::rsqrt(wide.square().mean(-1, true) + epsilon);
    return normed.to(x.scalar_type()) * weight;
}

GroupNorm::GroupNorm(const Parameters& place, std::int64_t channels, std::int64_t group_count, double eps)
    : weight(place.tensor("weight", {channels})),
      bias(place.tensor("bias", {channels})),
      groups(group_count),
      epsilon(eps) {
}

at::Tensor GroupNorm::operator()(const at::Tensor& x) const {
    return at::group_norm(x, groups, weight, bias, epsilon);
}

Embedding::Embedding(const Parameters& place, std::int64_t entries, std::int64_t width)
    : weight(place.tensor("weight", {entries, width})) {
}

at::Tensor Embedding::operator()(const at::Tensor& ids) const {
    return at::embedding(weight, ids);
}

NormedConv2d::NormedConv2d(const Parameters& conv, const Parameters& norm, std::int64_t in, std::int64_t out,
                           const NormedConv2dOptions& options)
    : stride(options.stride), padding(options.padding) {
    const at::Tensor kernel = conv.tensor("weight", {out, in, options.kernel[0], options.kernel[1]});
    const auto statistic = [&](const char* name) { return norm.tensor(name, {out}).to(at::kFloat); };
    const at::Tensor scale = statistic("weight") * at::rsqrt(statistic("running_var") + options.epsilon);
    const at::Tensor shift = statistic("bias") - statistic("running_mean") * scale;
    norm.allow("num_batches_tracked");
    weight = (kernel.to(at::kFloat) * scale.view({out, 1, 1, 1})).to(kernel.scalar_type());
    bias = shift.to(kernel.scalar_type());
}

at::Tensor NormedConv2d::operator()(const at::Tensor& x) const {
    return at::conv2d(x, weight, bias, stride, padding);
}

}  // namespace gass::nn
