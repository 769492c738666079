#include "models/mmdit_block.h"

#include "nn/functions.h"

#include <ATen/ATen.h>

#include <initializer_list>

namespace gass::mmdit {
namespace {

constexpr double kEpsilon = 1e-6;

/// What one stream brings to an attention.
struct Stream {
    at::Tensor qkv;  // [B, T, 3, heads, head size]
    const HeadProjection* heads;
};

Stream project(const HeadProjection& heads, const at::Tensor& tokens, const BlockShape& shape) {
    return {heads.qkv(tokens).unflatten(-1, {3, shape.heads, shape.head_size}), &heads};
}

/// Attention of the first `queries` tokens to those of all streams, one after another. → [B, queries, width]
at::Tensor attend(std::initializer_list<Stream> streams, std::int64_t queries, const BlockShape& shape) {
    std::vector<at::Tensor> parts;
    if (!shape.qk_norm) {
        for (const Stream& stream : streams) parts.push_back(stream.qkv);
        const auto qkv = at::cat(parts, 1).transpose(1, 3).unbind(2);  // each [B, heads, T, size]
        return nn::attention(qkv[0].narrow(2, 0, queries), qkv[1], qkv[2]);
    }
    std::vector<at::Tensor> values;
    std::vector<at::Tensor> weights;
    for (const Stream& stream : streams) {
        parts.push_back(stream.qkv.narrow(2, 0, 2));
        values.push_back(stream.qkv.select(2, 2));
        weights.push_back(stream.heads->qk_weight.expand({stream.qkv.size(1), -1, -1, -1}));
    }
    const at::Tensor joint = at::cat(parts, 1);  // [B, T, 2, heads, size]
    // In place is safe with autograd: neither step needs the value in between for its gradient.
    const at::Tensor normed = at::rms_norm(joint, {shape.head_size}, {}, kEpsilon).mul_(at::cat(weights));
    const auto query_key = normed.transpose(1, 3).unbind(2);  // each [B, heads, T, size]
    const at::Tensor value = at::cat(values, 1).transpose(1, 2);
    return nn::attention(query_key[0].narrow(2, 0, queries), query_key[1], value);
}

}  // namespace

std::size_t Modulation::add(const nn::Parameters& place, std::int64_t count, std::int64_t period,
                            std::int64_t scale) {
    const nn::Linear layer(place / "linear", width_, count * width_);
    if (!all_.weight.defined()) {
        all_.weight = at::empty({capacity_ * width_, width_}, layer.weight.options());
        all_.bias = at::empty({capacity_ * width_}, layer.bias.options());
        ones_ = at::zeros({capacity_ * width_}, layer.bias.options());
    }
    all_.weight.narrow(0, used_ * width_, count * width_).copy_(layer.weight);
    all_.bias.narrow(0, used_ * width_, count * width_).copy_(layer.bias);
    for (std::int64_t i = scale; i < count; i += period) {
        ones_.narrow(0, (used_ + i) * width_, width_).fill_(1);
    }
    const auto first = static_cast<std::size_t>(used_);
    used_ += count;
    return first;
}

Modulation::Vectors Modulation::operator()(const at::Tensor& conditioning) const {
    return (all_(at::silu(conditioning)) + ones_).view({-1, capacity_, 1, width_}).unbind(1);
}

at::Tensor modulated_norm(const at::Tensor& x, const at::Tensor& factor, const at::Tensor& shift) {
    return at::addcmul(shift, at::layer_norm(x, {x.size(-1)}, {}, {}, kEpsilon), factor);
}

HeadProjection::HeadProjection(const nn::Parameters& place, const BlockShape& shape, const Names& names) {
    const std::int64_t width = shape.width();
    const nn::Linear query(place / names.query, width, width);
    const nn::Linear key(place / names.key, width, width);
    const nn::Linear value(place / names.value, width, width);
    nn::Linear joint;
    joint.weight = at::cat({query.weight, key.weight, value.weight});
    joint.bias = at::cat({query.bias, key.bias, value.bias});
    qkv = nn::PackedLinear(joint);
    if (!shape.qk_norm) return;
    const at::Tensor query_weight = (place / names.query_norm).tensor("weight", {shape.head_size});
    const at::Tensor key_weight = (place / names.key_norm).tensor("weight", {shape.head_size});
    qk_weight = at::stack({query_weight, key_weight}).view({1, 2, 1, shape.head_size});
}

FeedForward::FeedForward(const nn::Parameters& place, std::int64_t width)
    : up(nn::Linear(place / "net" / 0 / "proj", width, 4 * width)),
      down(nn::Linear(place / "net" / 2, 4 * width, width)) {
}

at::Tensor FeedForward::operator()(const at::Tensor& x) const {
    return down(up(x, nn::Activation::gelu_tanh));
}

Block::Block(const nn::Parameters& place, const BlockShape& shape, bool last, bool dual,
             Modulation& modulation)
    : shape_(shape),
      image_vectors_(modulation.add(place / "norm1", dual ? 9 : 6, 3, 1)),
      // The last block's norm has its factor before its shift.
      context_vectors_(last ? modulation.add(place / "norm1_context", 2, 2, 0)
                            : modulation.add(place / "norm1_context", 6, 3, 1)),
      image_heads_(place / "attn", shape, HeadProjection::kImage),
      context_heads_(place / "attn", shape, HeadProjection::kContext),
      image_out_(nn::Linear(place / "attn" / "to_out" / 0, shape.width(), shape.width())),
      image_feed_forward_(place / "ff", shape.width()) {
    if (dual) {
        dual_heads_.emplace(place / "attn2", shape, HeadProjection::kImage);
        dual_out_ =
            nn::PackedLinear(nn::Linear(place / "attn2" / "to_out" / 0, shape.width(), shape.width()));
    }
    if (!last) {
        context_out_ =
            nn::PackedLinear(nn::Linear(place / "attn" / "to_add_out", shape.width(), shape.width()));
        context_feed_forward_.emplace(place / "ff_context", shape.width());
    }
}

/// Adds what attention found, then the feed-forward part. `vectors`: gate of the attention; shift, factor and
/// gate of the feed-forward part.
at::Tensor Block::finish(const at::Tensor& tokens, const at::Tensor& attended, const nn::PackedLinear& out,
                         const FeedForward& feed_forward, const at::Tensor* vectors) const {
    const at::Tensor middle = at::addcmul(tokens, vectors[0], out(attended));
    return at::addcmul(middle, vectors[3], feed_forward(modulated_norm(middle, vectors[2], vectors[1])));
}

std::pair<at::Tensor, at::Tensor> Block::operator()(const at::Tensor& image, const at::Tensor& context,
                                                    const Modulation::Vectors& vectors) const {
    const bool last = !context_feed_forward_;
    const std::int64_t image_count = image.size(1);
    const std::int64_t context_count = context.size(1);
    // Shift, factor and gate of the attention; the same of the feed-forward part; with dual attention the
    // same of that one.
    const at::Tensor* of_image = &vectors[image_vectors_];
    const at::Tensor* of_context = &vectors[context_vectors_];

    const at::Tensor image_normed = at::layer_norm(image, {shape_.width()}, {}, {}, kEpsilon);
    const at::Tensor image_input = at::addcmul(of_image[0], image_normed, of_image[1]);
    const at::Tensor context_input = last ? modulated_norm(context, of_context[0], of_context[1])
                                          : modulated_norm(context, of_context[1], of_context[0]);
    const at::Tensor attended =
        attend({project(image_heads_, image_input, shape_), project(context_heads_, context_input, shape_)},
               last ? image_count : image_count + context_count, shape_);  // [B, N (+ T), width]

    at::Tensor image_base = image;
    if (dual_heads_) {
        const at::Tensor input = at::addcmul(of_image[6], image_normed, of_image[7]);
        const at::Tensor alone = attend({project(*dual_heads_, input, shape_)}, image_count, shape_);
        image_base = at::addcmul(image_base, of_image[8], dual_out_(alone));
    }
    // Slices are made contiguous because a linear layer adds its bias for free only then.
    at::Tensor image_result = finish(image_base, attended.narrow(1, 0, image_count).contiguous(), image_out_,
                                     image_feed_forward_, of_image + 2);
    if (last) return {image_result, at::Tensor()};
    at::Tensor context_result = finish(context, attended.narrow(1, image_count, context_count).contiguous(),
                                       context_out_, *context_feed_forward_, of_context + 2);
    return {image_result, context_result};
}

}  // namespace gass::mmdit
