#include "nn/batch_norm.h"

#include <ATen/ATen.h>

namespace gass::nn {

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
