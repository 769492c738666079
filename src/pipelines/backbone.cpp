#include "pipelines/backbone.h"

#include "loading/component.h"
#include "pipelines/stable_diffusion.h"
#include "pipelines/stable_diffusion_3.h"

namespace gass {

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
    if (model.class_name == "StableDiffusionPipeline")
        return std::make_unique<StableDiffusion>(model, options);
    if (model.class_name == "StableDiffusion3Pipeline")
        return std::make_unique<StableDiffusion3>(model, options);
    fail(ErrorCode::model_invalid, model.folder.root().string(),
         "it is a {}; gass generates with StableDiffusionPipeline and StableDiffusion3Pipeline",
         in_quotes(model.class_name));
}

}  // namespace gass
