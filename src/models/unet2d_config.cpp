#include "models/unet2d.h"
#include "nn/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace gass {
namespace {

constexpr std::size_t kMostLevels = 12;
constexpr std::int64_t kMostTransformerLayers = 512;  // of one level, all its transformers together

/// One number for all levels, or one for each.
std::vector<std::int64_t> for_each_level(nn::ConfigReader& reader, std::string_view key,
                                         std::int64_t fallback, std::size_t levels) {
    std::vector<std::int64_t> values = reader.integers(key, {{fallback}});
    if (values.size() == 1) values.resize(levels, values.front());
    if (values.size() != levels)
        reader.refuse(
            fmt::format("{} has {} entries, block_out_channels has {}", key, values.size(), levels));
    return values;
}

/// Which blocks have attention.
std::vector<bool> attention_blocks(nn::ConfigReader& reader, std::string_view key, const std::string& with,
                                   const std::string& without, const std::vector<std::string>& fallback,
                                   std::size_t levels) {
    const std::vector<std::string> types = reader.texts(key, fallback);
    if (types.size() != levels)
        reader.refuse(fmt::format("{} has {} entries, block_out_channels has {}", key, types.size(), levels));
    std::vector<bool> attends;
    for (const std::string& type : types) {
        if (type != with && type != without)
            reader.refuse(fmt::format("{} may hold {} and {}, nothing else", key, with, without));
        attends.push_back(type == with);
    }
    return attends;
}

void refuse_what_we_lack(nn::ConfigReader& reader) {
    reader.require("mid_block_type", {"UNetMidBlock2DCrossAttn"});
    reader.require("center_input_sample", {false});
    reader.require("only_cross_attention", {false});
    reader.require("mid_block_only_cross_attention", {false});
    reader.require("dual_cross_attention", {false});
    reader.require("cross_attention_norm", {});
    reader.require("attention_type", {"default"});
    reader.require("num_attention_heads", {});
    reader.require("reverse_transformer_layers_per_block", {});
    reader.require("encoder_hid_dim", {});
    reader.require("encoder_hid_dim_type", {});
    reader.require("class_embed_type", {});
    reader.require("num_class_embeds", {});
    reader.require("class_embeddings_concat", {false});
    reader.require("addition_embed_type", {});
    reader.require("resnet_time_scale_shift", {"default"});
    reader.require("time_embedding_type", {"positional"});
    reader.require("time_embedding_act_fn", {});
    reader.require("timestep_post_act", {});
    reader.require("time_cond_proj_dim", {});
    reader.require("conv_in_kernel", {3});
    reader.require("conv_out_kernel", {3});
    // Without effect in the blocks that we have. That includes upcast_attention, which wants Q·Kᵀ in fp32:
    // diffusers' own processor (AttnProcessor2_0) leaves that to scaled_dot_product_attention, whose kernels
    // accumulate the scores in fp32 whatever the type, and so do we.
    reader.ignore({"upcast_attention", "resnet_skip_time_act", "resnet_out_scale_factor", "dropout",
                   "addition_embed_type_num_heads", "addition_time_embed_dim",
                   "projection_class_embeddings_input_dim"});
}

void check_divisions(const nn::ConfigReader& reader, const UNet2dConfig& config) {
    for (std::size_t i = 0; i < config.levels.size(); ++i) {
        const UNet2dConfig::Level& level = config.levels[i];
        if (level.channels % config.norm_num_groups != 0)
            reader.refuse(fmt::format("{} channels do not divide into norm_num_groups = {} groups",
                                      level.channels, config.norm_num_groups));
        const bool is_last = i + 1 == config.levels.size();  // the middle block works at this level
        const bool attends = level.down_attention || level.up_attention || is_last;
        if (attends && level.channels % level.heads != 0)
            reader.refuse(fmt::format("{} channels do not divide into {} heads (attention_head_dim)",
                                      level.channels, level.heads));
        if (level.layers > kMostTransformerLayers ||
            level.layers * level.transformer_layers > kMostTransformerLayers)
            reader.refuse(
                fmt::format("layers_per_block = {} with transformer_layers_per_block = {} is too much",
                            level.layers, level.transformer_layers));
    }
}

}  // namespace

UNet2dConfig UNet2dConfig::from_json(const Json& config, std::string_view where) {
    nn::ConfigReader reader(config, where);
    UNet2dConfig read;
    const std::vector<std::int64_t> channels =
        reader.integers("block_out_channels", std::vector<std::int64_t>{320, 640, 1280, 1280});
    const std::size_t count = channels.size();
    if (count > kMostLevels)
        reader.refuse(fmt::format("{} blocks, at most {} are possible", count, kMostLevels));
    const auto down = attention_blocks(
        reader, "down_block_types", "CrossAttnDownBlock2D", "DownBlock2D",
        {"CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"}, count);
    auto up = attention_blocks(
        reader, "up_block_types", "CrossAttnUpBlock2D", "UpBlock2D",
        {"UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"}, count);
    std::reverse(up.begin(), up.end());
    const auto layers = for_each_level(reader, "layers_per_block", 2, count);
    // Named for what it is not: a number of heads (diffusers issue 2011).
    const auto heads = for_each_level(reader, "attention_head_dim", 8, count);
    const auto transformer_layers = for_each_level(reader, "transformer_layers_per_block", 1, count);
    for (std::size_t i = 0; i < count; ++i)
        read.levels.push_back({channels[i], layers[i], heads[i], transformer_layers[i], down[i], up[i]});

    read.in_channels = reader.integer("in_channels", read.in_channels);
    read.out_channels = reader.integer("out_channels", read.out_channels);
    const auto context = for_each_level(reader, "cross_attention_dim", read.cross_attention_dim, count);
    if (std::count(context.begin(), context.end(), context.front()) != static_cast<std::ptrdiff_t>(count))
        reader.refuse("cross_attention_dim with unequal entries is not supported");
    read.cross_attention_dim = context.front();
    read.time_embedding_dim = reader.integer("time_embedding_dim", 4 * channels.front(), 1, 4'000'000);
    read.flip_sin_to_cos = reader.boolean("flip_sin_to_cos", read.flip_sin_to_cos);
    read.freq_shift = reader.number("freq_shift", read.freq_shift);
    read.downsample_padding = reader.integer("downsample_padding", read.downsample_padding, 0, 1);
    read.mid_block_scale_factor = reader.number("mid_block_scale_factor", read.mid_block_scale_factor);
    read.norm_num_groups = reader.integer("norm_num_groups", read.norm_num_groups);
    read.norm_eps = reader.number("norm_eps", read.norm_eps);
    read.activation = nn::activation_named(reader.text("act_fn", "silu"), where);
    read.use_linear_projection = reader.boolean("use_linear_projection", read.use_linear_projection);
    const auto sample_size = reader.integers("sample_size", std::vector<std::int64_t>{});
    if (!sample_size.empty()) read.sample_size = sample_size.front();

    refuse_what_we_lack(reader);
    check_divisions(reader, read);
    if (channels.front() % 2 != 0)
        reader.refuse("an odd number of channels in the first block is not supported");
    if (read.mid_block_scale_factor == 0.0) reader.refuse("mid_block_scale_factor is 0");
    if (read.freq_shift == static_cast<double>(channels.front() / 2))
        reader.refuse("freq_shift divides by 0");
    reader.finish();
    return read;
}

}  // namespace gass
