#include "models/registry.h"

#include "core/log.h"
#include "core/quote.h"
#include "models/autoencoder_kl.h"
#include "models/clip.h"
#include "models/clip_text.h"
#include "models/clip_vision.h"
#include "models/dinov2.h"
#include "models/image_reward.h"
#include "models/inception.h"
#include "models/lpips.h"
#include "models/mmdit.h"
#include "models/resnet.h"
#include "models/t5.h"
#include "models/unet2d.h"
#include "nn/parameters.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace gass {
namespace {

template <class Network, class Config>
void check(const ModelComponent& component) {
    const Config config =
        Config::from_json(component.folder.json("config.json"), component.folder.shown("config.json"));
    nn::check_network<Network>(*component.weights, config, component.class_name);
}

struct Row {
    std::string_view class_name;  // as model_index.json or config.json names it
    void (*check)(const ModelComponent&);
};

constexpr std::array kNetworks{
    Row{"AutoencoderKL", check<AutoencoderKl, AutoencoderKlConfig>},
    Row{"CLIPModel", check<Clip, ClipConfig>},
    Row{"CLIPTextModel", check<ClipText, ClipTextConfig>},
    Row{"CLIPTextModelWithProjection", check<ClipText, ClipTextConfig>},
    Row{"CLIPVisionModelWithProjection", check<ClipVision, ClipVisionConfig>},
    Row{"Dinov2Model", check<Dinov2, Dinov2Config>},
    Row{"ImageReward", check<ImageReward, ImageRewardConfig>},
    Row{"InceptionV3", check<Inception, InceptionConfig>},
    Row{"LPIPS", check<Lpips, LpipsConfig>},
    Row{"SD3Transformer2DModel", check<Mmdit, MmditConfig>},
    Row{"SSCDResNet", check<ResNet, ResNetConfig>},
    Row{"T5EncoderModel", check<T5Encoder, T5Config>},
    Row{"UNet2DConditionModel", check<UNet2d, UNet2dConfig>},
};

}  // namespace

void check_component(const ModelComponent& component) {
    const auto row = std::find_if(kNetworks.begin(), kNetworks.end(),
                                  [&](const Row& known) { return known.class_name == component.class_name; });
    if (row != kNetworks.end()) return row->check(component);
    log::warn("[{}] the class {} is not one that gass runs; its files are checked for damage only",
              component.folder.root().string(), in_quotes(component.class_name));
}

}  // namespace gass
