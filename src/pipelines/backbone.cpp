#include "pipelines/backbone.h"

#include "loading/component.h"
#include "pipelines/stable_diffusion.h"
#include "pipelines/stable_diffusion_3.h"

#include <fmt/ranges.h>

#include <array>

namespace gass {
namespace {

struct PipelineRow {
    std::string_view class_name;  // as model_index.json names it
    std::unique_ptr<Backbone> (*open)(const Model&, const BackboneOptions&);
};

template <class Pipeline>
std::unique_ptr<Backbone> open(const Model& model, const BackboneOptions& options) {
    return std::make_unique<Pipeline>(model, options);
}

constexpr std::array kPipelines{
    PipelineRow{"StableDiffusionPipeline", open<StableDiffusion>},
    PipelineRow{"StableDiffusion3Pipeline", open<StableDiffusion3>},
};

}  // namespace

Backbone::Backbone(const Model& model, std::string_view denoiser, const BackboneOptions& options)
    : options_(options),
      decoder_(
          component_of(model, "vae", {"AutoencoderKL"}),
          {.placement = options.placement, .tiling = options.vae_tiling, .slicing = options.vae_slicing}) {
    const ModelComponent* scheduler = model.find("scheduler");
    if (scheduler == nullptr) {
        fail(ErrorCode::model_invalid, model.folder.shown("model_index.json"), "a {} needs a scheduler",
             model.class_name);
    }
    for (const ModelComponent& part : model.components) {
        if (!part.weights || (options.no_t5 && part.class_name == "T5EncoderModel")) continue;
        const double bytes = static_cast<double>(part.weights->parameter_count()) *
                             static_cast<double>(at::elementSize(options.placement.dtype));
        weight_bytes_ += bytes;
        if (part.name == denoiser) denoiser_weight_bytes_ = bytes;
    }
    scheduler_json_ = scheduler->folder.json("scheduler_config.json");
    scheduler_path_ = scheduler->folder.shown("scheduler_config.json");
}

std::vector<std::int64_t> Backbone::latent_shape(ImageSize size) const {
    const std::int64_t downscale = decoder_.config().downscale();
    return {1, latent_channels(), size.height / downscale, size.width / downscale};
}

std::unique_ptr<Backbone> open_backbone(const Model& model, const BackboneOptions& options) {
    std::vector<std::string_view> names;
    for (const PipelineRow& row : kPipelines) {
        if (row.class_name == model.class_name) return row.open(model, options);
        names.push_back(row.class_name);
    }
    fail(ErrorCode::model_invalid, model.folder.root().string(), "it is a {}; gass generates with {}",
         in_quotes(model.class_name), fmt::join(names, " and "));
}

}  // namespace gass
