#include "nn/packed_linear.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/cpu/Utils.h>

namespace gass::nn {
namespace {

// LibTorch has these operators for its own compiler, and no header for them.
at::Tensor reorder_weight(const at::Tensor& weight) {
    static const auto op = c10::Dispatcher::singleton()
                               .findSchemaOrThrow("mkldnn::_reorder_linear_weight", "")
                               .typed<at::Tensor(const at::Tensor&, std::optional<std::int64_t>)>();
    return op.call(weight, std::nullopt);
}

at::Tensor linear_pointwise(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                            bool then_gelu_tanh) {
    using Signature =
        at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&, c10::string_view,
                   c10::List<std::optional<at::Scalar>>, std::optional<c10::string_view>);
    static const auto op =
        c10::Dispatcher::singleton().findSchemaOrThrow("mkldnn::_linear_pointwise", "").typed<Signature>();
    return op.call(x, weight, bias.defined() ? std::optional(bias) : std::nullopt,
                   then_gelu_tanh ? "gelu" : "none", c10::List<std::optional<at::Scalar>>(),
                   then_gelu_tanh ? std::optional<c10::string_view>("tanh") : std::nullopt);
}

bool can_be_packed(const at::Tensor& weight) {
    if (!weight.device().is_cpu() || !at::hasMKLDNN() || !at::globalContext().userEnabledMkldnn())
        return false;
    return weight.scalar_type() == at::kFloat ||
           (weight.scalar_type() == at::kBFloat16 && at::cpu::is_avx512_vnni_supported());
}

bool wants_gradient(const at::Tensor& x) {
    return at::GradMode::is_enabled() && x.requires_grad();
}

}  // namespace

PackedLinear::PackedLinear(const Linear& plain) : weight_(plain.weight), bias_(plain.bias) {
    if (!can_be_packed(weight_)) return;
    weight_ = reorder_weight(weight_);
    packed_ = true;
}

at::Tensor PackedLinear::operator()(const at::Tensor& x, std::optional<Activation> then) const {
    const bool gelu_tanh = then == Activation::gelu_tanh;
    at::Tensor result;
    if (wants_gradient(x)) {
        result = at::linear(x, packed_ ? weight_.to_dense() : weight_, bias_);
    } else if (packed_) {
        result = linear_pointwise(x, weight_, bias_, gelu_tanh);
        if (gelu_tanh) return result;
        if (then == Activation::quick_gelu) return result.mul_((result * 1.702).sigmoid_());
    } else if (gelu_tanh && x.is_cuda() && bias_.defined()) {
        const at::Tensor rows = x.reshape({-1, x.size(-1)});
        std::vector<std::int64_t> shape = x.sizes().vec();
        shape.back() = weight_.size(0);
        return at::_addmm_activation(bias_, rows, weight_.t(), 1, 1, /*use_gelu=*/true).view(shape);
    } else {
        result = at::linear(x, weight_, bias_);
    }
    return then ? activate(*then, result) : result;
}

}  // namespace gass::nn
