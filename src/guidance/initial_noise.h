#pragma once

#include "diffusion/method.h"
#include "guidance/method_traits.h"
#include "guidance/text/parameters.h"

namespace gass {

struct InitialNoiseParams {
    std::string kind = "antithetic";
    double scale = 1.5;
    std::int64_t modes = 4;

    void visit(ParameterVisitor& visitor);
    MethodTraits traits() const { return {.pairs_images = kind == "antithetic"}; }
};

/// Changes what a group starts from and nothing else. `antithetic` (Jia et al. 2025): images in pairs, one
/// from minus the other's noise. `orthogonal`: the nearest noises that are orthogonal to each other, as long
/// as before. `coarse`: a larger low-frequency part, image by image.
class InitialNoise final : public Method {
  public:
    explicit InitialNoise(const InitialNoiseParams& params) : params_(params) {}

    at::Tensor start(const at::Tensor& noise, const std::vector<std::uint64_t>& seeds) override;

  private:
    InitialNoiseParams params_;
};

}  // namespace gass
