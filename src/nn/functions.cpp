#include "nn/functions.h"

#include "core/fail.h"
#include "core/quote.h"

#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <utility>

namespace gass::nn {

Activation activation_named(std::string_view name, std::string_view where) {
    constexpr std::array kNames{
        std::pair<std::string_view, Activation>{"gelu", Activation::gelu},
        std::pair<std::string_view, Activation>{"gelu_new", Activation::gelu_tanh},
        std::pair<std::string_view, Activation>{"gelu_pytorch_tanh", Activation::gelu_tanh},
        std::pair<std::string_view, Activation>{"quick_gelu", Activation::quick_gelu},
        std::pair<std::string_view, Activation>{"silu", Activation::silu},
        std::pair<std::string_view, Activation>{"swish", Activation::silu},
        std::pair<std::string_view, Activation>{"relu", Activation::relu},
    };
    for (const auto& [known, activation] : kNames) {
        if (known == name) return activation;
    }
    fail(ErrorCode::model_invalid, where, "the activation {} is not supported", in_quotes(name));
}

at::Tensor activate(Activation activation, const at::Tensor& x) {
    switch (activation) {
        case Activation::gelu:
            return at::gelu(x);
        case Activation::gelu_tanh:
            return at::gelu(x, "tanh");
        case Activation::quick_gelu:
            return x * at::sigmoid(1.702 * x);
        case Activation::silu:
            return at::silu(x);
        case Activation::relu:
            return at::relu(x);
    }
    return x;
}

at::Tensor split_heads(const at::Tensor& x, std::int64_t heads) {
    return x.unflatten(-1, {heads, -1}).transpose(1, 2);
}

at::Tensor join_heads(const at::Tensor& x) {
    return x.transpose(1, 2).flatten(2);
}

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const AttentionOptions& options) {
    return join_heads(at::scaled_dot_product_attention(query, key, value, options.mask, 0.0, options.causal,
                                                       options.scale));
}

at::Tensor timestep_embedding(const at::Tensor& timesteps, std::int64_t width, bool cosines_first,
                              double frequency_shift) {
    const std::int64_t half = width / 2;
    const double slope = -std::log(10000.0) / (static_cast<double>(half) - frequency_shift);
    const auto options = timesteps.options().dtype(at::kFloat);
    const at::Tensor frequencies = at::exp(at::arange(half, options) * slope);       // [half]
    const at::Tensor angles = timesteps.to(at::kFloat).unsqueeze(-1) * frequencies;  // [B, half]
    const at::Tensor cosines = at::cos(angles);
    const at::Tensor sines = at::sin(angles);
    at::Tensor embedding = cosines_first ? at::cat({cosines, sines}, -1) : at::cat({sines, cosines}, -1);
    return width % 2 == 0 ? embedding : at::constant_pad_nd(embedding, {0, 1});
}

}  // namespace gass::nn
