#pragma once

#include "diffusion/method.h"
#include "guidance/method_setup.h"
#include "guidance/method_traits.h"
#include "guidance/text/parameters.h"

namespace gass {

/// Repulsion by a determinantal point process, after DiverseFlow (Morshed and Boddeti 2025).
struct DppParams {
    double scale = 0.12;
    double spread = 3.0;
    double from = 0.9;
    double until = 0.2;

    void visit(ParameterVisitor& visitor);
    MethodTraits traits() const { return {.looks = true, .injection = Injection::rederive}; }
};

/// Raises the likelihood of the group under a determinantal point process on the guide's embeddings f:
/// log det L − log det(L + I), L_ij = exp(−spread ‖f_i − f_j‖² / m), m the median squared distance.
class Dpp final : public Method {
  public:
    Dpp(const DppParams& params, MethodSetup setup) : params_(params), setup_(std::move(setup)) {}

    at::Tensor steer(const at::Tensor& clean, const GroupStep& at) override;
    std::optional<Injection> injection() const override { return Injection::rederive; }
    std::optional<std::vector<MethodStep>> report() const override { return steps_; }

    struct Likelihood {
        double value = 0.0;
        at::Tensor gradient;  ///< by the embeddings, [B, d]
    };
    /// All 0 for groups without a kernel: one image, or images of which most coincide.
    static Likelihood likelihood(const at::Tensor& embeddings, double spread);

  private:
    DppParams params_;
    MethodSetup setup_;
    std::vector<MethodStep> steps_;
};

}  // namespace gass
