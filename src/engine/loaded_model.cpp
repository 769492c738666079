#include "engine/loaded_model.h"

#include "catalog/fingerprint.h"
#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "engine/memory.h"
#include "nn/device.h"
#include "nn/process.h"

#include <ATen/Parallel.h>

#include <algorithm>

namespace gass {
namespace {

nn::Placement placement_for(const EngineOptions& options) {
    const at::Device device = find_device(options.device);
    prepare_device(device);
    return {.dtype = find_dtype(options.dtype, device), .device = device};
}

std::int64_t threads_for(const EngineOptions& options) {
    nn::keep_freed_memory();
    nn::use_threads(options.threads);
    return at::get_num_threads();
}

}  // namespace

LoadedModel::LoadedModel(const EngineOptions& options)
    : options_(options),
      model_(open_model(find_model(options.model), options.variant)),
      guide_name_(options.guide.empty() ? model_.defaults.guide : options.guide),
      placement_(placement_for(options)),
      threads_(threads_for(options)),
      backbone_(open_backbone(model_, {.placement = placement_,
                                       .vae_tiling = options.vae_tiling,
                                       .vae_slicing = options.vae_slicing,
                                       .no_t5 = options.no_t5})) {
    const double weights = backbone_->weight_bytes();
    offloads_ = options.offload_to_cpu || (!device().is_cpu() && weights > 0.8 * free_bytes());
    if (offloads_ && !options.offload_to_cpu)
        log::info("the model's {:.1f} GB do not fit beside a picture: networks take turns", weights / 1e9);
}

Dial LoadedModel::dial(bool is_guided) const {
    const Json& json = model_.defaults.dial;
    const Json* own_scale =
        model_.defaults.settings.contains("cfg_scale") ? &model_.defaults.settings["cfg_scale"] : nullptr;
    const double usual = own_scale != nullptr ? own_scale->get<double>() : backbone_->default_cfg_scale();
    if (json.is_null() || is_guided != (usual > 1)) return Dial(family(), is_guided);
    return {family(), is_guided, read_dial_points(json, "\"dial\" in gass.json")};
}

const ImageEncoder& LoadedModel::guide(std::string_view for_what) const {
    const std::lock_guard lock(mutex_);
    if (guide_ == nullptr) {
        if (guide_name_.empty()) {
            fail(ErrorCode::usage, SettingKey("guide"),
                 "{} needs a CLIP model that sees the images, and {} names none in its gass.json: give one, "
                 "`guide` openai/clip-vit-base-patch32 for instance",
                 for_what, in_quotes(options_.model));
        }
        // fp32 whatever the denoiser computes in: shifts on the sphere are smaller than bf16 can tell.
        guide_ = std::make_unique<ImageEncoder>(open_model(find_model(guide_name_)),
                                                nn::Placement{at::kFloat, placement_.device});
    }
    return *guide_;
}

const ImageEncoder* LoadedModel::guide_if_here() const {
    if (guide_name_.empty()) return nullptr;
    try {
        return &guide("measuring spread");
    } catch (const Error& error) {
        // One that the user names has to be there.
        if (!options_.guide.empty() || error.code() != ErrorCode::model_not_found) throw;
        return nullptr;
    }
}

void LoadedModel::load() const {
    if (offloads_) return;
    backbone_->load();
    const std::lock_guard lock(mutex_);
    if (guide_ != nullptr) guide_->load();
}

double LoadedModel::free_bytes(double coming) const {
    double free = free_memory(device());
    if (options_.max_vram > 0 && !device().is_cpu())
        free = std::min(free, options_.max_vram * 1e9 - used_memory(device()));
    return std::max(free - coming, 0.0);
}

std::shared_future<std::string> LoadedModel::fingerprint() const {
    const std::lock_guard lock(mutex_);
    if (!fingerprint_.valid()) {
        fingerprint_ = std::async(std::launch::async, [this] { return gass::fingerprint(model_); }).share();
    }
    return fingerprint_;
}

void LoadedModel::release() const {
    backbone_->release_text_encoders();
    backbone_->release_denoiser();
    backbone_->decoder().release();
    const std::lock_guard lock(mutex_);
    if (guide_ != nullptr) guide_->release();
}

}  // namespace gass
