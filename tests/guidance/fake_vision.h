#pragma once

#include "guidance/vision.h"

#include <ATen/ATen.h>

namespace gass::test {

/// Small smooth maps in place of networks: latents [B, 4, h, w] → images of twice the size → a sphere in 32
/// dimensions.
class FakeVision : public Vision {
  public:
    FakeVision() : projection_(at::randn({kPixels, 32}, at::detail::createCPUGenerator(1), at::kFloat)) {}

    at::Tensor decode(const at::Tensor& latents) const override {
        return at::upsample_nearest2d(at::tanh(latents.narrow(1, 0, 3)),
                                      {2 * latents.size(2), 2 * latents.size(3)});
    }
    at::Tensor encode(const at::Tensor& images) const override {
        const at::Tensor small = at::avg_pool2d(images, 2);
        return at::cat({small, at::zeros_like(small.narrow(1, 0, 1))}, 1);
    }
    at::Tensor embed(const at::Tensor& images) const override {
        const at::Tensor features = at::adaptive_avg_pool2d(images, {4, 4}).flatten(1).matmul(projection_);
        return features / features.norm(2, -1, true);
    }
    at::Tensor embed_text(const std::string&) const override { return at::eye(32, at::kFloat)[0]; }

  private:
    static constexpr std::int64_t kPixels = 48;
    at::Tensor projection_;
};

/// The same with one defect, for images whose first pixel is full red.
class BrokenVision final : public FakeVision {
  public:
    enum class Defect { embedding_not_finite, gradient_not_finite, no_gradient };
    explicit BrokenVision(Defect defect) : defect_(defect) {}

    /// Breaks image `index` of clean latents.
    static at::Tensor broken(at::Tensor latents, std::int64_t index) {
        latents[index][0][0][0] = 20.0F;
        return latents;
    }

    at::Tensor embed(const at::Tensor& images) const override {
        // One by one: at::where would spread what is not finite over the others' gradients.
        std::vector<at::Tensor> embeddings;
        for (const at::Tensor& image : images.split(1)) {
            const at::Tensor good = FakeVision::embed(image);
            embeddings.push_back(image[0][0][0][0].item<double>() > 0.9999 ? bad(good) : good);
        }
        return at::cat(embeddings);
    }

  private:
    at::Tensor bad(const at::Tensor& good) const {
        if (defect_ == Defect::embedding_not_finite) return good * std::nan("");
        if (defect_ == Defect::no_gradient) return good.detach();
        return good + at::sqrt(good - good.detach());  // the slope of a root is infinite at 0
    }
    Defect defect_;
};

/// Clean latents of a group.
inline at::Tensor some_latents(std::int64_t images, std::uint64_t seed) {
    return at::randn({images, 4, 8, 8}, at::detail::createCPUGenerator(seed), at::kFloat);
}

}  // namespace gass::test
