#pragma once

#include "diffusion/method.h"
#include "guidance/method_setup.h"
#include "guidance/method_traits.h"
#include "guidance/text/parameters.h"

namespace gass {

/// Particle Guidance (Corso et al. 2024) on the noisy latents; coefficient and gate are the official demo's.
struct ParticleGuidanceParams {
    double coefficient = 30.0;
    double gate = 1.0;
    std::string port = "score";

    void visit(ParameterVisitor& visitor);
    MethodTraits traits() const { return {.injection = Injection::rederive}; }
};

/// Drives noisy latents apart by a kernel on their distances: ε' = ε − coefficient · σ · G, with the VE σ of
/// the official code for diffusion. Flows: `score` uses the flow's own σ (v' = v − coefficient σ / (1 − σ)
/// G), `naive` subtracts from v as from ε (v' = v − coefficient σ G), which hardly does anything.
class ParticleGuidance final : public Method {
  public:
    ParticleGuidance(const ParticleGuidanceParams& params, MethodSetup setup)
        : params_(params), setup_(std::move(setup)) {}

    at::Tensor steer(const at::Tensor& clean, const GroupStep& at) override;
    std::optional<Injection> injection() const override { return Injection::rederive; }
    std::optional<std::vector<MethodStep>> report() const override { return steps_; }

  private:
    double weight(const NoiseLevel& level) const;

    ParticleGuidanceParams params_;
    MethodSetup setup_;
    std::vector<MethodStep> steps_;
};

/// The variant on features of the images, here those of the guide; again the official demo's values.
struct FeatureParticleGuidanceParams {
    double coefficient = 8.0;
    double gate = 3.0;

    void visit(ParameterVisitor& visitor);
    MethodTraits traits() const { return {.looks = true, .injection = Injection::rederive}; }
};

/// The same kernel on embeddings of the clean estimates; its gradient goes back to x_t through encoder and
/// decoder, at a fixed output of the denoiser: ε' = ε − ∂⟨f, coefficient · G⟩/∂x.
class FeatureParticleGuidance final : public Method {
  public:
    FeatureParticleGuidance(const FeatureParticleGuidanceParams& params, MethodSetup setup)
        : params_(params), setup_(std::move(setup)) {}

    at::Tensor steer(const at::Tensor& clean, const GroupStep& at) override;
    std::optional<Injection> injection() const override { return Injection::rederive; }
    std::optional<std::vector<MethodStep>> report() const override { return steps_; }

  private:
    FeatureParticleGuidanceParams params_;
    MethodSetup setup_;
    std::vector<MethodStep> steps_;
};

}  // namespace gass
