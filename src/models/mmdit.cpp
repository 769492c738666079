#include "models/mmdit.h"

#include "core/fail.h"
#include "nn/functions.h"

#include <ATen/ATen.h>

#include <tuple>

namespace gass {
namespace {

constexpr std::int64_t kTimeWaves = 256;

std::int64_t vector_count(const MmditConfig& config) {
    constexpr std::int64_t kOfOutput = 2;
    std::int64_t count = kOfOutput;
    for (std::int64_t i = 0; i < config.num_layers; ++i) {
        count += mmdit::Block::vector_count(i + 1 == config.num_layers,
                                            config.dual_attention[static_cast<std::size_t>(i)]);
    }
    return count;
}

/// Sinusoids of one axis: diffusers' 2-D table holds those of the column, then those of the row.
at::Tensor axis_waves(const MmditConfig& config, const at::TensorOptions& options) {
    const auto size = static_cast<double>(config.pos_embed_max_size);
    const auto base = static_cast<double>(config.sample_size / config.patch_size);
    const std::int64_t count = config.width() / 4;
    const at::Tensor places =
        at::arange(config.pos_embed_max_size, options.dtype(at::kFloat)) / (size / base);
    const at::Tensor exponents = at::arange(count, options.dtype(at::kDouble)) / static_cast<double>(count);
    const at::Tensor angles = at::outer(places.to(at::kDouble), at::pow(10000.0, exponents).reciprocal());
    return at::cat({at::sin(angles), at::cos(angles)}, 1).to(at::kFloat).to(options);  // [size, width / 2]
}

}  // namespace

MmditConfig MmditConfig::from_json(const Json& json, std::string_view where) {
    constexpr std::int64_t kLargestPatch = 64;
    constexpr std::int64_t kMostChannels = 4096;
    constexpr std::int64_t kMostPatches = 4096;
    constexpr std::int64_t kLargestHead = 1024;
    constexpr std::int64_t kMostHeads = 1024;
    nn::ConfigReader reader(json, where);
    MmditConfig config;
    config.sample_size = reader.integer("sample_size", 128);
    config.patch_size = reader.integer("patch_size", 2, 1, kLargestPatch);
    config.in_channels = reader.integer("in_channels", 16, 1, kMostChannels);
    config.out_channels = reader.integer("out_channels", config.in_channels, 1, kMostChannels);
    config.num_layers = reader.count("num_layers", 18);
    config.attention_head_dim = reader.integer("attention_head_dim", 64, 1, kLargestHead);
    config.num_attention_heads = reader.integer("num_attention_heads", 18, 1, kMostHeads);
    config.joint_attention_dim = reader.integer("joint_attention_dim", 4096);
    config.pooled_projection_dim = reader.integer("pooled_projection_dim", 2048);
    // Not optional: null means a table for each size, which no published model uses.
    config.pos_embed_max_size = reader.integer("pos_embed_max_size", std::nullopt, 1, kMostPatches);
    const std::int64_t caption_width = reader.integer("caption_projection_dim", 1152);
    if (caption_width != config.width()) {
        reader.refuse(fmt::format("\"caption_projection_dim\" is {}, but {} heads of size {} are {} wide",
                                  caption_width, config.num_attention_heads, config.attention_head_dim,
                                  config.width()));
    }
    if (config.width() % 4 != 0) {
        reader.refuse(fmt::format("the width {} must be a multiple of 4", config.width()));
    }
    if (config.sample_size < config.patch_size) {
        reader.refuse(fmt::format("\"sample_size\" {} is smaller than \"patch_size\" {}", config.sample_size,
                                  config.patch_size));
    }
    config.dual_attention.assign(static_cast<std::size_t>(config.num_layers), false);
    const std::vector<std::int64_t> none;
    for (const std::int64_t layer : reader.integers("dual_attention_layers", none, 0)) {
        if (layer >= config.num_layers) {
            reader.refuse(fmt::format("\"dual_attention_layers\" names layer {}, but there are {}", layer,
                                      config.num_layers));
        }
        config.dual_attention[static_cast<std::size_t>(layer)] = true;
    }
    reader.require("qk_norm", {"rms_norm"});
    config.qk_norm = !reader.text("qk_norm", "").empty();
    reader.finish();
    return config;
}

Mmdit::ConditionEmbedder::ConditionEmbedder(const nn::Parameters& place, std::int64_t in, std::int64_t width)
    : first(place / "linear_1", in, width), second(place / "linear_2", width, width) {
}

at::Tensor Mmdit::ConditionEmbedder::operator()(const at::Tensor& x) const {
    return second(at::silu(first(x)));
}

Mmdit::Mmdit(const nn::Parameters& place, const MmditConfig& config)
    : config_(config),
      patch_embedder_(place / "pos_embed" / "proj", config.in_channels, config.width(),
                      {.kernel = config.patch_size, .stride = config.patch_size}),
      time_embedder_(place / "time_text_embed" / "timestep_embedder", kTimeWaves, config.width()),
      text_embedder_(place / "time_text_embed" / "text_embedder", config.pooled_projection_dim,
                     config.width()),
      context_embedder_(place / "context_embedder", config.joint_attention_dim, config.width()),
      modulation_(config.width(), vector_count(config)) {
    const nn::Parameters position_place = place / "pos_embed";
    const std::int64_t size = config.pos_embed_max_size;
    if (position_place.has("pos_embed")) {
        position_table_ = position_place.tensor("pos_embed", {1, size * size, config.width()})
                              .view({size, size, config.width()});
    } else {
        position_waves_ = axis_waves(config, patch_embedder_.weight.options());
    }
    const mmdit::BlockShape shape{config.num_attention_heads, config.attention_head_dim, config.qk_norm};
    for (std::int64_t i = 0; i < config.num_layers; ++i) {
        blocks_.emplace_back(place / "transformer_blocks" / i, shape, i + 1 == config.num_layers,
                             config.dual_attention[static_cast<std::size_t>(i)], modulation_);
    }
    out_vectors_ = modulation_.add(place / "norm_out", 2, 2, 0);
    out_ = nn::Linear(place / "proj_out", config.width(),
                      config.patch_size * config.patch_size * config.out_channels);
}

/// The patch convolution as a matrix product, whose result already has the tokens' layout.
at::Tensor Mmdit::patchified(const at::Tensor& latents) const {
    const std::int64_t patch = config_.patch_size;
    const std::int64_t rows = latents.size(2) / patch;
    const std::int64_t columns = latents.size(3) / patch;
    const at::Tensor patches = latents.unflatten(3, {columns, patch})
                                   .unflatten(2, {rows, patch})  // [B, C, rows, patch, columns, patch]
                                   .permute({0, 2, 4, 1, 3, 5})
                                   .reshape({latents.size(0), rows * columns, -1});
    return at::linear(patches, patch_embedder_.weight.flatten(1), patch_embedder_.bias) +
           positions(rows, columns);
}

/// The middle of the position table. → [rows × columns, width]
at::Tensor Mmdit::positions(std::int64_t rows, std::int64_t columns) const {
    const std::int64_t top = (config_.pos_embed_max_size - rows) / 2;
    const std::int64_t left = (config_.pos_embed_max_size - columns) / 2;
    if (position_table_.defined()) {
        return position_table_.narrow(0, top, rows).narrow(1, left, columns).flatten(0, 1);
    }
    const at::Tensor of_columns = position_waves_.narrow(0, left, columns).unsqueeze(0);
    const at::Tensor of_rows = position_waves_.narrow(0, top, rows).unsqueeze(1);
    return at::cat({of_columns.expand({rows, -1, -1}), of_rows.expand({-1, columns, -1})}, 2).flatten(0, 1);
}

at::Tensor Mmdit::operator()(const at::Tensor& latents, const at::Tensor& timesteps,
                             const at::Tensor& context, const at::Tensor& pooled) const {
    const std::int64_t patch = config_.patch_size;
    const std::int64_t height = latents.size(2);
    const std::int64_t width = latents.size(3);
    if (height % patch != 0 || width % patch != 0 || height == 0 || width == 0) {
        fail(ErrorCode::usage, "size", "latents of {}×{} cannot be cut into patches of {}×{}", width, height,
             patch, patch);
    }
    if (const std::int64_t largest = config_.pos_embed_max_size * patch;
        height > largest || width > largest) {
        fail(ErrorCode::usage, "size", "latents of {}×{} exceed the model's largest, {}×{}", width, height,
             largest, largest);
    }

    at::Tensor image = patchified(latents);        // [B, N, width]
    at::Tensor text = context_embedder_(context);  // [B, T, width]
    const at::Tensor waves = nn::timestep_embedding(timesteps, kTimeWaves).to(image.scalar_type());
    const auto vectors = modulation_(time_embedder_(waves) + text_embedder_(pooled));
    for (const mmdit::Block& block : blocks_) std::tie(image, text) = block(image, text, vectors);
    const at::Tensor out =
        out_(mmdit::modulated_norm(image, vectors[out_vectors_], vectors[out_vectors_ + 1]));
    return out.view({out.size(0), height / patch, width / patch, patch, patch, config_.out_channels})
        .permute({0, 5, 1, 3, 2, 4})  // [B, out, rows, patch, columns, patch]
        .reshape({out.size(0), config_.out_channels, height, width});
}

}  // namespace gass
