#include "models/autoencoder_kl.h"

#include "nn/config.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace gass {
namespace {

constexpr double kNormEpsilon = 1e-6;
constexpr std::size_t kMostBlocks = 12;

nn::ResnetOptions resnet_options(const AutoencoderKlConfig& config) {
    return {.groups = config.norm_num_groups, .epsilon = kNormEpsilon, .activation = config.activation};
}

void check_block_types(nn::ConfigReader& reader, std::string_view key, const std::string& known,
                       std::size_t blocks) {
    const auto types = reader.texts(key, std::vector<std::string>(blocks, known));
    const bool all_known =
        std::all_of(types.begin(), types.end(), [&](const auto& type) { return type == known; });
    if (types.size() != blocks || !all_known)
        reader.refuse(fmt::format("{} must be {} times {}", key, blocks, known));
}

}  // namespace

AutoencoderKlConfig AutoencoderKlConfig::from_json(const Json& config, std::string_view where) {
    nn::ConfigReader reader(config, where);
    AutoencoderKlConfig read;
    read.in_channels = reader.integer("in_channels", read.in_channels);
    read.out_channels = reader.integer("out_channels", read.out_channels);
    read.latent_channels = reader.integer("latent_channels", read.latent_channels);
    read.block_out_channels = reader.integers("block_out_channels", read.block_out_channels);
    read.layers_per_block = reader.count("layers_per_block", read.layers_per_block);
    read.norm_num_groups = reader.integer("norm_num_groups", read.norm_num_groups);
    read.activation = nn::activation_named(reader.text("act_fn", "silu"), where);
    read.use_quant_conv = reader.boolean("use_quant_conv", read.use_quant_conv);
    read.use_post_quant_conv = reader.boolean("use_post_quant_conv", read.use_post_quant_conv);
    read.mid_block_add_attention = reader.boolean("mid_block_add_attention", read.mid_block_add_attention);
    read.scaling_factor = reader.number("scaling_factor", read.scaling_factor);
    read.shift_factor = reader.number("shift_factor", read.shift_factor);
    read.force_upcast = reader.boolean("force_upcast", read.force_upcast);
    read.sample_size = reader.integers("sample_size", {{read.sample_size}}).front();
    reader.require("latents_mean", {});
    reader.require("latents_std", {});

    const std::size_t blocks = read.block_out_channels.size();
    if (blocks > kMostBlocks)
        reader.refuse(fmt::format("{} blocks, at most {} are possible", blocks, kMostBlocks));
    check_block_types(reader, "down_block_types", "DownEncoderBlock2D", blocks);
    check_block_types(reader, "up_block_types", "UpDecoderBlock2D", blocks);
    for (const std::int64_t channels : read.block_out_channels) {
        if (channels % read.norm_num_groups != 0)
            reader.refuse(fmt::format("{} channels do not divide into norm_num_groups = {} groups", channels,
                                      read.norm_num_groups));
    }
    if (read.scaling_factor == 0.0) reader.refuse("scaling_factor is 0");
    reader.finish();
    return read;
}

AutoencoderKl::MidAttention::MidAttention(const nn::Parameters& place, std::int64_t channels,
                                          std::int64_t groups)
    : norm(place / "group_norm", channels, groups, kNormEpsilon) {
    // Before 2023 diffusers wrote other names; its published autoencoders still have them.
    const bool old_names = place.has("query.weight");
    query = nn::Linear(place / (old_names ? "query" : "to_q"), channels, channels);
    key = nn::Linear(place / (old_names ? "key" : "to_k"), channels, channels);
    value = nn::Linear(place / (old_names ? "value" : "to_v"), channels, channels);
    out = nn::Linear(place / (old_names ? "proj_attn" : "to_out.0"), channels, channels);
}

at::Tensor AutoencoderKl::MidAttention::operator()(const at::Tensor& x) const {
    const at::Tensor tokens = norm(x).flatten(2).transpose(1, 2);  // [B, H·W, C]
    const auto one_head = [&](const nn::Linear& part) { return part(tokens).unsqueeze(1); };
    const at::Tensor mixed = out(nn::attention(one_head(query), one_head(key), one_head(value)));
    return x + mixed.transpose(1, 2).view_as(x);
}

AutoencoderKl::MidBlock::MidBlock(const nn::Parameters& place, const AutoencoderKlConfig& config)
    : before(place / "resnets" / 0, config.block_out_channels.back(), config.block_out_channels.back(),
             resnet_options(config)),
      after(place / "resnets" / 1, config.block_out_channels.back(), config.block_out_channels.back(),
            resnet_options(config)) {
    if (config.mid_block_add_attention)
        attention.emplace(place / "attentions" / 0, config.block_out_channels.back(), config.norm_num_groups);
}

at::Tensor AutoencoderKl::MidBlock::operator()(const at::Tensor& x) const {
    const at::Tensor hidden = before(x);
    return after(attention ? (*attention)(hidden) : hidden);
}

AutoencoderKl::Encoder::Encoder(const nn::Parameters& place, const AutoencoderKlConfig& config)
    : conv_in(nn::conv3x3(place / "conv_in", config.in_channels, config.block_out_channels.front())),
      mid(place / "mid_block", config),
      norm_out(place / "conv_norm_out", config.block_out_channels.back(), config.norm_num_groups,
               kNormEpsilon),
      conv_out(
          nn::conv3x3(place / "conv_out", config.block_out_channels.back(), 2 * config.latent_channels)) {
    std::int64_t width = config.block_out_channels.front();
    for (std::size_t i = 0; i < config.block_out_channels.size(); ++i) {
        const nn::Parameters here = place / "down_blocks" / static_cast<std::int64_t>(i);
        Block& block = blocks.emplace_back();
        for (std::int64_t layer = 0; layer < config.layers_per_block; ++layer) {
            block.resnets.emplace_back(here / "resnets" / layer, width, config.block_out_channels[i],
                                       resnet_options(config));
            width = config.block_out_channels[i];
        }
        if (i + 1 < config.block_out_channels.size())
            block.downsample.emplace(here / "downsamplers" / 0, width, 0);
    }
}

at::Tensor AutoencoderKl::Encoder::operator()(const at::Tensor& images) const {
    at::Tensor hidden = conv_in(images);
    for (const Block& block : blocks) {
        for (const nn::ResnetBlock& resnet : block.resnets) hidden = resnet(hidden);
        if (block.downsample) hidden = (*block.downsample)(hidden);
    }
    return conv_out(at::silu(norm_out(mid(hidden))));
}

AutoencoderKl::Decoder::Decoder(const nn::Parameters& place, const AutoencoderKlConfig& config)
    : conv_in(nn::conv3x3(place / "conv_in", config.latent_channels, config.block_out_channels.back())),
      mid(place / "mid_block", config),
      norm_out(place / "conv_norm_out", config.block_out_channels.front(), config.norm_num_groups,
               kNormEpsilon),
      conv_out(nn::conv3x3(place / "conv_out", config.block_out_channels.front(), config.out_channels)) {
    const std::vector<std::int64_t> widths(config.block_out_channels.rbegin(),
                                           config.block_out_channels.rend());
    std::int64_t width = widths.front();
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const nn::Parameters here = place / "up_blocks" / static_cast<std::int64_t>(i);
        Block& block = blocks.emplace_back();
        for (std::int64_t layer = 0; layer < config.layers_per_block + 1; ++layer) {
            block.resnets.emplace_back(here / "resnets" / layer, width, widths[i], resnet_options(config));
            width = widths[i];
        }
        if (i + 1 < widths.size()) block.upsample.emplace(here / "upsamplers" / 0, width);
    }
}

at::Tensor AutoencoderKl::Decoder::operator()(const at::Tensor& codes) const {
    at::Tensor hidden = mid(conv_in(codes));
    for (const Block& block : blocks) {
        for (const nn::ResnetBlock& resnet : block.resnets) hidden = resnet(hidden);
        if (block.upsample) hidden = (*block.upsample)(hidden, 2 * hidden.size(2), 2 * hidden.size(3));
    }
    return conv_out(at::silu(norm_out(hidden)));
}

AutoencoderKl::AutoencoderKl(const nn::Parameters& place, const AutoencoderKlConfig& config)
    : config_(config), encoder_(place / "encoder", config), decoder_(place / "decoder", config) {
    const std::int64_t latent = config.latent_channels;
    if (config.use_quant_conv) quant_conv_ = nn::conv1x1(place / "quant_conv", 2 * latent, 2 * latent);
    if (config.use_post_quant_conv) post_quant_conv_ = nn::conv1x1(place / "post_quant_conv", latent, latent);
}

AutoencoderKl::Posterior AutoencoderKl::encode(const at::Tensor& images) const {
    at::Tensor moments = encoder_(images);
    if (quant_conv_) moments = (*quant_conv_)(moments);
    const auto halves = moments.chunk(2, 1);
    return {halves[0], at::clamp(halves[1], -30.0, 20.0)};
}

at::Tensor AutoencoderKl::decode(const at::Tensor& codes) const {
    return decoder_(post_quant_conv_ ? (*post_quant_conv_)(codes) : codes);
}

at::Tensor AutoencoderKl::latents_from(const at::Tensor& codes) const {
    return (codes - config_.shift_factor) * config_.scaling_factor;
}

at::Tensor AutoencoderKl::decode_latents(const at::Tensor& latents) const {
    return decode(latents / config_.scaling_factor + config_.shift_factor);
}

}  // namespace gass
