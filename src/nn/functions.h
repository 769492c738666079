#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace gass::nn {

enum class Activation { gelu, gelu_tanh, quick_gelu, silu, relu };

/// By the names that config files use: "gelu", "gelu_new", "gelu_pytorch_tanh", "quick_gelu", "silu",
/// "swish", "relu". Throws model_invalid for another one.
Activation activation_named(std::string_view name, std::string_view where);
at::Tensor activate(Activation activation, const at::Tensor& x);

struct AttentionOptions {
    std::optional<at::Tensor> mask = std::nullopt;  // added to the scores, broadcast to [B, heads, Tq, Tk]
    bool causal = false;
    std::optional<double> scale = std::nullopt;  // 1/√head size unless given
};

/// [B, T, heads × size] → [B, heads, T, size]
at::Tensor split_heads(const at::Tensor& x, std::int64_t heads);
/// [B, heads, T, size] → [B, T, heads × size]
at::Tensor join_heads(const at::Tensor& x);

/// Scaled dot-product attention over heads laid out by split_heads; the result is joined again.
at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const AttentionOptions& options = {});

/// Sinusoids of time steps, as diffusers' `Timesteps(width, flip_sin_to_cos, downscale_freq_shift)`.
/// [B] → [B, width], fp32.
at::Tensor timestep_embedding(const at::Tensor& timesteps, std::int64_t width, bool cosines_first = true,
                              double frequency_shift = 0.0);

}  // namespace gass::nn
