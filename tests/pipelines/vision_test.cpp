#include "core/json.h"
#include "engine/pipeline_vision.h"
#include "io/file.h"
#include "tensor/tensor_file.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <filesystem>

namespace gass {
namespace {

namespace fs = std::filesystem;

/// A case that tools/reference/vision_fixtures.py wrote, and the networks it is about.
class Case {
  public:
    explicit Case(const fs::path& folder)
        : name(folder.filename().string()),
          file_(std::make_shared<const SafetensorsFile>(folder / "io.safetensors")),
          description_(parse_json(read_text_file(folder / "case.json"), name)),
          decoder_(component(), {}),
          encoder_(open_model({name, ModelSource::folder, model("clip"), {}}), {}),
          vision(decoder_, encoder_) {}

    at::Tensor operator[](const std::string& tensor) const {
        for (const TensorInfo& info : file_->tensors()) {
            if (info.name == tensor) return load_tensor({file_, &info}).clone();
        }
        ADD_FAILURE() << tensor << " is missing";
        return {};
    }

    const std::string name;

  private:
    fs::path model(const char* part) const {
        return fs::path(GASS_MODELS_DIR) / description_.at(part).get<std::string>();
    }
    ModelComponent component() const {
        const ModelFolder folder(model("vae"));
        return {"vae", "AutoencoderKL", ComponentKind::network, folder, Weights::open(folder)};
    }

    std::shared_ptr<const SafetensorsFile> file_;
    Json description_;
    LatentDecoder decoder_;
    ImageEncoder encoder_;

  public:
    const PipelineVision vision;
};

/// ‖ours − reference‖ / ‖reference‖
double relative_error(const at::Tensor& ours, const at::Tensor& reference) {
    const at::Tensor expected = reference.to(at::kDouble);
    return ((ours.to(at::kDouble) - expected).norm() / expected.norm()).item<double>();
}

TEST(Vision, GradientsAreThoseOfTheReference) {
    for (const char* name : {"mini", "mini-wide", "random"}) {
        const Case reference(fs::path(GASS_FIXTURES_DIR) / "vision" / name);
        const at::Tensor latents = reference["latents"].requires_grad_(true);
        const at::Tensor pixels = reference.vision.decode(latents);
        const at::Tensor embeddings = reference.vision.embed(pixels);
        const at::Tensor loss = (1 - (embeddings * reference["targets"]).sum(-1)).sum();
        const auto gradients = torch::autograd::grad({loss}, {pixels, latents});
        const double pixel_error = relative_error(gradients[0], reference["pixels_gradient"]);
        const double latent_error = relative_error(gradients[1], reference["latents_gradient"]);
        EXPECT_LE(relative_error(pixels.detach(), reference["pixels"]), 1e-4) << name;
        EXPECT_LE(relative_error(embeddings.detach(), reference["embeddings"]), 1e-4) << name;
        EXPECT_LE(pixel_error, 1e-3) << name;
        EXPECT_LE(latent_error, 1e-3) << name;
        fmt::print("gradient {} pixels {:.1e} latents {:.1e}\n", name, pixel_error, latent_error);
    }
}

TEST(Vision, EmbedsNearlyAsTheProcessorThatRounds) {
    for (const char* name : {"mini", "mini-wide", "random"}) {
        const Case reference(fs::path(GASS_FIXTURES_DIR) / "vision" / name);
        const at::NoGradGuard no_grad;
        const at::Tensor image =
            reference["levels"].permute({2, 0, 1}).unsqueeze(0).to(at::kFloat) / 127.5 - 1;
        const double cosine =
            (reference.vision.embed(image)[0] * reference["levels_embedding"]).sum().item<double>();
        EXPECT_GT(cosine, 0.999) << name;
    }
}

TEST(Vision, EmbedsTextsOnTheSphere) {
    const Case reference(fs::path(GASS_FIXTURES_DIR) / "vision" / "mini");
    const at::NoGradGuard no_grad;
    const at::Tensor car = reference.vision.embed_text("a red car");
    EXPECT_NEAR(car.norm().item<double>(), 1.0, 1e-5);
    EXPECT_EQ(car.dim(), 1);
    EXPECT_LT((car * reference.vision.embed_text("a blue bird")).sum().item<double>(), 0.99);
}

}  // namespace
}  // namespace gass
