#include "catalog/known_encoders.h"

#include "core/fail.h"
#include "core/quote.h"
#include "io/model_lookup.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace gass {
namespace {

constexpr std::array kKnown{
    KnownEncoder{"clip", "openai/clip-vit-base-patch32",
                 "https://huggingface.co/openai/clip-vit-base-patch32", "", ""},
    KnownEncoder{"dinov2", "facebook/dinov2-base", "https://huggingface.co/facebook/dinov2-base", "", ""},
    KnownEncoder{"inception", "inception",
                 "https://download.pytorch.org/models/inception_v3_google-0cc3c7bd.pth",
                 "inception_v3_google-0cc3c7bd.pth", "inception-torchvision"},
    KnownEncoder{"inception-fid", "inception-fid",
                 "https://github.com/mseitzer/pytorch-fid/releases/download/fid_weights/"
                 "pt_inception-2015-12-05-6726825d.pth",
                 "pt_inception-2015-12-05-6726825d.pth", "inception-fid"},
    KnownEncoder{"sscd", "sscd",
                 "https://dl.fbaipublicfiles.com/sscd-copy-detection/sscd_disc_mixup.torchvision.pt",
                 "sscd_disc_mixup.torchvision.pt", "sscd"},
    KnownEncoder{
        "lpips", "lpips", "https://download.pytorch.org/models/alexnet-owt-7be5be79.pth",
        "alexnet-owt-7be5be79.pth", "lpips",
        " --lin alex.pth (https://github.com/richzhang/PerceptualSimilarity/raw/master/lpips/weights/v0.1/"
        "alex.pth)"},
    KnownEncoder{"image-reward", "image-reward", "https://huggingface.co/THUDM/ImageReward", "ImageReward.pt",
                 "image-reward", " --vocab vocab.txt (bert-base-uncased's)"},
};

/// Where a model of that name is looked for.
std::string places(const KnownEncoder& known) {
    std::string text = fmt::format("gass looked for the folder {} here and in {}", in_quotes(known.model),
                                   (data_folder() / "models").string());
    if (known.file.empty())
        text += fmt::format(", and in the Hugging Face cache {}", hf_cache_folder().string());
    return text;
}

std::string way_to_get(const KnownEncoder& known) {
    if (known.file.empty()) {
        return fmt::format(
            "get {} into the Hugging Face cache, or its files into a folder and name that folder",
            known.address);
    }
    return fmt::format("get {} from {} and convert it: python tools/convert_weights.py {} {} {}{}",
                       known.file, known.address, known.conversion, known.file, known.model, known.extra);
}

}  // namespace

const KnownEncoder* known_encoder(std::string_view name) {
    const auto* const found = std::ranges::find_if(
        kKnown, [&](const KnownEncoder& known) { return known.name == name || known.model == name; });
    return found == kKnown.end() ? nullptr : found;
}

Model open_encoder_model(std::string_view name) {
    const KnownEncoder* known = known_encoder(name);
    if (known == nullptr) {
        std::vector<std::string> names{std::string(kPixels)};
        for (const KnownEncoder& one : kKnown) names.emplace_back(one.name);
        return open_model(find_model(name, names));
    }
    try {
        return open_model(find_model(known->model));
    } catch (const Error& error) {
        if (error.code() != ErrorCode::model_not_found || error.where() != "model") throw;
        fail(ErrorCode::model_not_found, "encoder",
             "{} is not here. {}; nothing is downloaded. To have it, {}", in_quotes(name), places(*known),
             way_to_get(*known));
    }
}

}  // namespace gass
