#include "pipelines/latent_decoder.h"

#include "loading/component.h"

#include <ATen/Functions.h>

#include <algorithm>

namespace gass {
namespace {

/// The type the autoencoder computes in: fp16 overflows in the published ones, which say so themselves.
nn::Placement placement_for(const AutoencoderKlConfig& config, nn::Placement placement) {
    if (placement.dtype == at::kHalf && config.force_upcast) placement.dtype = at::kFloat;
    return placement;
}

/// Fades from the end of `before` to the start of `tile` along a dimension; changes `tile`.
void blend(const at::Tensor& before, const at::Tensor& tile, std::int64_t dim, std::int64_t extent) {
    extent = std::min({before.size(dim), tile.size(dim), extent});
    std::vector<std::int64_t> shape(4, 1);
    shape[static_cast<std::size_t>(dim)] = extent;
    const at::Tensor ramp = (at::arange(extent, tile.options()) / static_cast<double>(extent)).view(shape);
    const at::Tensor start = tile.narrow(dim, 0, extent);
    start.copy_(before.narrow(dim, before.size(dim) - extent, extent) * (1 - ramp) + start * ramp);
}

}  // namespace

LatentDecoder::LatentDecoder(const ModelComponent& vae, const DecoderOptions& options)
    : config_(config_of<AutoencoderKlConfig>(vae)),
      options_(options),
      vae_(network_of<AutoencoderKl>(vae, config_, placement_for(config_, options.placement))) {
    options_.placement = placement_for(config_, options.placement);
    if (config_.out_channels != 3 || config_.in_channels != 3) {
        fail(ErrorCode::model_invalid, vae.folder.shown("config.json"),
             "an autoencoder of images has 3 channels");
    }
    if (options_.tiling && config_.sample_size < config_.downscale()) {
        fail(ErrorCode::model_invalid, vae.folder.shown("config.json"),
             "its sample_size of {} is too small for tiles", config_.sample_size);
    }
}

at::Tensor LatentDecoder::decode(const at::Tensor& latents) const {
    if (options_.slicing && latents.size(0) > 1) {
        std::vector<at::Tensor> images;
        for (const at::Tensor& one : latents.split(1)) images.push_back(decode(one));
        return at::cat(images);
    }
    const at::Tensor input = latents.to(options_.placement.device, options_.placement.dtype);
    const std::int64_t tile = config_.sample_size / config_.downscale();
    const bool large = latents.size(2) > tile || latents.size(3) > tile;
    const bool tiled = options_.tiling && large;
    return (tiled ? decode_tiled(input) : vae_.get()->decode_latents(input)).to(at::kFloat);
}

at::Tensor LatentDecoder::encode(const at::Tensor& images) const {
    const auto vae = vae_.get();
    const at::Tensor input = images.to(options_.placement.device, options_.placement.dtype);
    return vae->latents_from(vae->encode(input).mean).to(at::kFloat);
}

// diffusers' tiles: as large as the images the autoencoder was made for, a quarter of each overlapping the
// next.
at::Tensor LatentDecoder::decode_tiled(const at::Tensor& latents) const {
    const auto vae = vae_.get();
    const std::int64_t tile = config_.sample_size / config_.downscale();
    const std::int64_t stride = std::max<std::int64_t>(tile * 3 / 4, 1);
    const std::int64_t extent = config_.sample_size / 4;
    const std::int64_t kept = config_.sample_size - extent;

    std::vector<at::Tensor> above;
    std::vector<at::Tensor> rows;
    for (std::int64_t y = 0; y < latents.size(2); y += stride) {
        std::vector<at::Tensor> tiles;
        std::vector<at::Tensor> row;
        for (std::int64_t x = 0; x < latents.size(3); x += stride) {
            const at::Tensor part = latents.slice(2, y, y + tile).slice(3, x, x + tile);
            tiles.push_back(vae->decode_latents(part));
            const std::size_t column = tiles.size() - 1;
            if (!above.empty()) blend(above[column], tiles.back(), 2, extent);
            if (column > 0) blend(tiles[column - 1], tiles.back(), 3, extent);
            row.push_back(tiles.back().slice(2, 0, kept).slice(3, 0, kept));
        }
        rows.push_back(at::cat(row, 3));
        above = std::move(tiles);
    }
    return at::cat(rows, 2);
}

double LatentDecoder::bytes_per_pixel() const {
    // At full size a block holds its input, its output, a normalised copy and the upsampled one of the next
    // deeper block; measured peaks of the published autoencoders are 9 to 11 times the widest such plane.
    const double width = static_cast<double>(config_.block_out_channels.front());
    return 12.0 * width * static_cast<double>(at::elementSize(options_.placement.dtype));
}

}  // namespace gass
