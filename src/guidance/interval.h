#pragma once

#include "diffusion/method.h"
#include "guidance/method_setup.h"
#include "guidance/text/parameters.h"

namespace gass {

/// Interval guidance (Kynkäänniemi et al. 2024): guided inside (low, high] only, the conditional model alone
/// outside. The defaults are the GASS paper's for SD3.
struct IntervalParams {
    double low = 0.2;
    double high = 0.8;
    std::string level = "time";

    void visit(ParameterVisitor& visitor);
};

class IntervalGuidance final : public Method {
  public:
    IntervalGuidance(const IntervalParams& params, const MethodSetup& setup)
        : params_(params), family_(setup.family) {}

    double guidance(double cfg_scale, const GroupStep& at) override;

  private:
    double level(const GroupStep& at) const;

    IntervalParams params_;
    Family family_;
};

}  // namespace gass
