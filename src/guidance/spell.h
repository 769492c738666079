#pragma once

#include "diffusion/method.h"
#include "guidance/method_setup.h"
#include "guidance/method_traits.h"
#include "guidance/text/parameters.h"

namespace gass {

/// SPELL (Kirchhof et al. 2025). The papers that use it disagree on radii, so that of the group is the
/// default.
struct SpellParams {
    double radius = -1.0;
    double overcompensation = 1.6;
    double percentile = 30.0;
    double calibrate_time = 0.8;

    void visit(ParameterVisitor& visitor);
    MethodTraits traits() const {
        return {.injection = Injection::rederive, .takes_shield = true, .keeps_away = true};
    }
};

/// Sparse repellency: a clean estimate inside the ball of another image of the group, or of one of the
/// shield, is moved to its edge and a little beyond; others stay as they are.
class Spell final : public Method {
  public:
    Spell(const SpellParams& params, const MethodSetup& setup);

    at::Tensor steer(const at::Tensor& clean, const GroupStep& at) override;
    std::optional<Injection> injection() const override { return Injection::rederive; }
    std::optional<std::vector<MethodStep>> report() const override { return steps_; }

  private:
    double radius(const at::Tensor& between, const at::Tensor& to_shield, const GroupStep& at);

    SpellParams params_;
    at::Tensor shield_;                 ///< [K, D], fp64; undefined: none
    std::optional<double> calibrated_;  ///< the radius that is kept
    std::vector<MethodStep> steps_;
};

}  // namespace gass
