#include "nn/resnet_block.h"

#include <ATen/ATen.h>

namespace gass::nn {
namespace {

/// On a GPU the order stays as it is: PyTorch's group norm there gives back channels-first, and every
/// convolution would have to turn it round again (measured: VAE encoding took 1.2 times as long).
at::Tensor channels_last(const at::Tensor& weight) {
    return weight.is_cuda() ? weight : weight.contiguous(at::MemoryFormat::ChannelsLast);
}

Conv2d channels_last(Conv2d conv) {
    conv.weight = channels_last(conv.weight);
    return conv;
}

/// In place where it can be: the norm's output is of no further use. (With autograd, silu_ keeps a copy.)
at::Tensor activated(Activation activation, at::Tensor normed) {
    return activation == Activation::silu ? at::silu_(normed) : activate(activation, normed);
}

/// In an image of doubled pixels, three taps in a row see two different pixels. Their two weights, for the
/// first and for the second of a pair. [..., 3, ...] → [2, ..., 2, ...]
at::Tensor fold_taps(const at::Tensor& weight, std::int64_t dimension) {
    const auto taps = weight.unbind(dimension);
    return at::stack({at::stack({taps[0], taps[1] + taps[2]}, dimension),
                      at::stack({taps[0] + taps[1], taps[2]}, dimension)});
}

/// The four 2×2 convolutions, one for each place in a doubled pixel, that a 3×3 one over doubled pixels
/// amounts to: 4/9 of the multiplications, and the large image is never made.
Conv2d folded(const Conv2d& conv) {
    Conv2d four = conv;
    four.weight = channels_last(fold_taps(fold_taps(conv.weight, 3), 3).flatten(0, 2));  // row, column, out
    four.bias = conv.bias.repeat({4});
    return four;
}

}  // namespace

Conv2d conv3x3(const Parameters& place, std::int64_t in, std::int64_t out, std::int64_t stride,
               std::int64_t padding) {
    return channels_last(Conv2d(place, in, out, {.kernel = 3, .stride = stride, .padding = padding}));
}

Conv2d conv1x1(const Parameters& place, std::int64_t in, std::int64_t out) {
    return channels_last(Conv2d(place, in, out, {.kernel = 1}));
}

ResnetBlock::ResnetBlock(const Parameters& place, std::int64_t in, std::int64_t out,
                         const ResnetOptions& options)
    : norm1_(place / "norm1", in, options.groups, options.epsilon),
      conv1_(conv3x3(place / "conv1", in, out)),
      norm2_(place / "norm2", out, options.groups, options.epsilon),
      conv2_(conv3x3(place / "conv2", out, out)),
      activation_(options.activation),
      output_scale_(options.output_scale) {
    if (options.time_channels > 0)
        time_emb_proj_.emplace(place / "time_emb_proj", options.time_channels, out);
    if (in != out) conv_shortcut_ = conv1x1(place / "conv_shortcut", in, out);
}

at::Tensor ResnetBlock::operator()(const at::Tensor& x, const at::Tensor& time) const {
    // Additions in place: a convolution's output is not needed for its gradient.
    at::Tensor hidden = conv1_(activated(activation_, norm1_(x)));
    if (time_emb_proj_) hidden.add_((*time_emb_proj_)(time).unsqueeze(-1).unsqueeze(-1));
    hidden = conv2_(activated(activation_, norm2_(hidden)));
    hidden.add_(conv_shortcut_ ? (*conv_shortcut_)(x) : x);
    return output_scale_ == 1.0 ? hidden : hidden / output_scale_;
}

Downsample::Downsample(const Parameters& place, std::int64_t channels, std::int64_t padding)
    : conv_(conv3x3(place / "conv", channels, channels, 2, padding)) {
}

at::Tensor Downsample::operator()(const at::Tensor& x) const {
    return conv_(conv_.padding == 0 ? at::constant_pad_nd(x, {0, 1, 0, 1}) : x);
}

Upsample::Upsample(const Parameters& place, std::int64_t channels)
    : conv_(conv3x3(place / "conv", channels, channels)) {
    if (conv_.weight.is_cpu()) folded_ = folded(conv_);
}

at::Tensor Upsample::doubled(const at::Tensor& x) const {
    const std::int64_t channels = x.size(1);
    const at::Tensor parts =
        (*folded_)(x).permute({0, 2, 3, 1}).contiguous();  // [B, H+1, W+1, row · column · C]
    const std::int64_t down = parts.stride(1);
    const std::int64_t right = parts.stride(2);
    // Place (row, column) of pixel (h, w) is part (row, column) at (h + row, w + column).
    return parts
        .as_strided({x.size(0), x.size(2), 2, x.size(3), 2, channels},
                    {parts.stride(0), down, down + 2 * channels, right, right + channels, 1})
        .reshape({x.size(0), 2 * x.size(2), 2 * x.size(3), channels})
        .permute({0, 3, 1, 2});
}

at::Tensor Upsample::operator()(const at::Tensor& x, std::int64_t height, std::int64_t width) const {
    if (folded_ && height == 2 * x.size(2) && width == 2 * x.size(3)) return doubled(x);
    return conv_(at::upsample_nearest2d(x, {height, width}));
}

}  // namespace gass::nn
