#pragma once

#include "diffusion/method.h"
#include "guidance/text/parameters.h"

#include <ATen/core/Generator.h>

#include <optional>

namespace gass {

/// CADS (Sadat et al. 2024); the defaults are the paper's for SD3.
struct CadsParams {
    double tau1 = 0.9;
    double tau2 = 1.2;
    double scale = 0.1;
    double mix = 1.0;
    std::string time = "timestep";
    bool pooled = true;
    bool uncond = false;

    void visit(ParameterVisitor& v);
};

/// Noises the prompt's embeddings at first and lets them clear up: γ is 1 (the prompt as it is) while the
/// time is at most tau1, 0 (noise) from tau2 on, and linear between.
class Cads final : public Method {
  public:
    explicit Cads(const CadsParams& params) : params_(params) {}

    Condition condition(const Condition& condition, const GroupStep& at) override;
    Condition unconditional(const Condition& unconditional, const GroupStep& at) override;

    /// γ at a time.
    static double clarity(const CadsParams& params, double time);

  private:
    Condition noised(const Condition& condition, const GroupStep& at);
    at::Tensor noised(const at::Tensor& embeddings, double clarity);

    CadsParams params_;
    std::optional<at::Generator> random_;
};

}  // namespace gass
