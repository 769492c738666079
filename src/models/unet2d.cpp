#include "models/unet2d.h"

#include <ATen/ATen.h>

namespace gass {
namespace {

nn::ResnetOptions resnet_options(const UNet2dConfig& config) {
    return {.groups = config.norm_num_groups,
            .epsilon = config.norm_eps,
            .activation = config.activation,
            .time_channels = config.time_embedding_dim};
}

SpatialTransformer transformer(const nn::Parameters& place, const UNet2dConfig& config,
                               const UNet2dConfig::Level& level) {
    return {place,
            {.channels = level.channels,
             .heads = level.heads,
             .layers = level.transformer_layers,
             .context_width = config.cross_attention_dim,
             .groups = config.norm_num_groups,
             .linear_projection = config.use_linear_projection}};
}

}  // namespace

UNet2d::UNet2d(const nn::Parameters& place, const UNet2dConfig& config)
    : config_(config),
      conv_in_(nn::conv3x3(place / "conv_in", config.in_channels, config.levels.front().channels)),
      time_linear_1_(place / "time_embedding" / "linear_1", config.levels.front().channels,
                     config.time_embedding_dim),
      time_linear_2_(place / "time_embedding" / "linear_2", config.time_embedding_dim,
                     config.time_embedding_dim),
      norm_out_(place / "conv_norm_out", config.levels.front().channels, config.norm_num_groups,
                config.norm_eps),
      conv_out_(nn::conv3x3(place / "conv_out", config.levels.front().channels, config.out_channels)) {
    const nn::ResnetOptions resnet = resnet_options(config);
    std::int64_t width = config.levels.front().channels;
    std::vector<std::int64_t> skips = {width};  // channels of what the way up gets from the way down
    for (std::size_t i = 0; i < config.levels.size(); ++i) {
        const UNet2dConfig::Level& level = config.levels[i];
        const nn::Parameters here = place / "down_blocks" / static_cast<std::int64_t>(i);
        DownBlock& block = down_.emplace_back();
        for (std::int64_t j = 0; j < level.layers; ++j) {
            Layer& layer = block.layers.emplace_back(
                Layer{nn::ResnetBlock(here / "resnets" / j, width, level.channels, resnet), std::nullopt});
            if (level.down_attention) layer.attention = transformer(here / "attentions" / j, config, level);
            width = level.channels;
            skips.push_back(width);
        }
        if (i + 1 == config.levels.size()) continue;
        block.downsample.emplace(here / "downsamplers" / 0, width, config.downsample_padding);
        skips.push_back(width);
    }

    nn::ResnetOptions mid_resnet = resnet;
    mid_resnet.output_scale = config.mid_block_scale_factor;
    const nn::Parameters middle = place / "mid_block";
    for (std::int64_t j = 0; j < 2; ++j)
        mid_.push_back({nn::ResnetBlock(middle / "resnets" / j, width, width, mid_resnet), std::nullopt});
    mid_.front().attention = transformer(middle / "attentions" / 0, config, config.levels.back());

    for (std::size_t i = config.levels.size(); i-- > 0;) {
        const UNet2dConfig::Level& level = config.levels[i];
        const nn::Parameters here = place / "up_blocks" / static_cast<std::int64_t>(up_.size());
        UpBlock& block = up_.emplace_back();
        for (std::int64_t j = 0; j < level.layers + 1; ++j) {
            Layer& layer = block.layers.emplace_back(
                Layer{nn::ResnetBlock(here / "resnets" / j, width + skips.back(), level.channels, resnet),
                      std::nullopt});
            if (level.up_attention) layer.attention = transformer(here / "attentions" / j, config, level);
            width = level.channels;
            skips.pop_back();
        }
        if (i > 0) block.upsample.emplace(here / "upsamplers" / 0, width);
    }
}

at::Tensor UNet2d::time_embedding(const at::Tensor& timestep, const at::Tensor& sample) const {
    const at::Tensor waves =
        nn::timestep_embedding(timestep.to(sample.device()).reshape({-1}), config_.levels.front().channels,
                               config_.flip_sin_to_cos, config_.freq_shift);
    const at::Tensor hidden =
        nn::activate(config_.activation, time_linear_1_(waves.to(sample.scalar_type())));
    return time_linear_2_(hidden).expand({sample.size(0), -1});  // [B, time]
}

at::Tensor UNet2d::operator()(const at::Tensor& sample, const at::Tensor& timestep,
                              const at::Tensor& context) const {
    // Every resnet applies the activation first: once is enough.
    const at::Tensor time = nn::activate(config_.activation, time_embedding(timestep, sample));
    const auto run = [&](const Layer& layer, const at::Tensor& x) {
        const at::Tensor hidden = layer.resnet(x, time);
        return layer.attention ? (*layer.attention)(hidden, context) : hidden;
    };

    at::Tensor hidden = conv_in_(sample);
    std::vector<at::Tensor> skips = {hidden};
    for (const DownBlock& block : down_) {
        for (const Layer& layer : block.layers) skips.push_back(hidden = run(layer, hidden));
        if (block.downsample) skips.push_back(hidden = (*block.downsample)(hidden));
    }
    for (const Layer& layer : mid_) hidden = run(layer, hidden);
    for (const UpBlock& block : up_) {
        for (const Layer& layer : block.layers) {
            hidden = run(layer, at::cat({hidden, skips.back()}, 1));
            skips.pop_back();
        }
        // To the size of what comes next from the way down: twice this one, or one less where that was odd.
        if (block.upsample) hidden = (*block.upsample)(hidden, skips.back().size(2), skips.back().size(3));
    }
    return conv_out_(nn::activate(config_.activation, norm_out_(hidden)));
}

}  // namespace gass
