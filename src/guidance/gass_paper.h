#pragma once

#include "diffusion/method.h"
#include "guidance/method_setup.h"
#include "guidance/method_traits.h"
#include "guidance/pixel_optimiser.h"
#include "guidance/text/parameters.h"
#include "sphere/axes.h"

#include <ATen/core/Generator.h>

#include <optional>

namespace gass {

/// The knobs of the paper's method and of its ablations; the defaults are its own.
struct GassPaperParams {
    double r_dep = 0.02;
    double r_ind = 0.02;
    std::int64_t candidates = 10;
    std::string basis = "gass";
    bool renormalise = true;
    std::string optimiser = "adam";
    double lr = 1e-4;
    std::int64_t iterations = 60;
    double tolerance = 5e-4;
    std::int64_t patience = 4;
    std::string schedule = "uniform";
    std::int64_t steps = 20;
    std::string reencode = "difference";

    void visit(ParameterVisitor& visitor);
    MethodTraits traits() const { return {.looks = true}; }
};

/// The paper to the letter, Algorithms 1 to 3: at some of the steps the group's clean estimates are decoded
/// and embedded, shifted at random along the prompt and across it, and the shifts carried back to the pixels
/// by gradients through the encoder, and to the latents by the autoencoder.
class GassPaper final : public Method {
  public:
    GassPaper(const GassPaperParams& params, MethodSetup setup);

    at::Tensor steer(const at::Tensor& clean, const GroupStep& at) override;
    /// An Expansion for each step that expanded. Images whose embedding is not finite have no numbers.
    std::optional<std::vector<MethodStep>> report() const override { return steps_; }

    /// Whether this step of so many is one that expands.
    static bool is_active(const GassPaperParams& params, std::size_t index, std::size_t count);

  private:
    struct Expanded;
    at::Tensor decode(const at::Tensor& latents) const;
    at::Tensor encode(const at::Tensor& pixels) const;
    sphere::Basis basis_for(const at::Tensor& embeddings);
    Expanded expand(const at::Tensor& pixels);
    at::Tensor moved(const at::Tensor& clean, const at::Tensor& pixels, const Expanded& expansion) const;
    static std::vector<Unmoved> unmoved_of(const Expanded& expansion);
    static Expansion::Shifts shifts_of(const Expanded& expansion);

    GassPaperParams params_;
    MethodSetup setup_;
    std::optional<at::Generator> random_;
    std::vector<MethodStep> steps_;
};

}  // namespace gass
