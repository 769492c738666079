#pragma once

#include "diffusion/method.h"
#include "guidance/parameters.h"

namespace gass {

/// Interval guidance (Kynkäänniemi et al. 2024): guided inside (low, high] only, the conditional model alone
/// outside. Levels are times, 1 noise and 0 image; the defaults are the paper's for SD3.
struct IntervalParams {
    double low = 0.2;
    double high = 0.8;

    void visit(ParameterVisitor& v) {
        v.number("low", low, {0, 1}, "guidance is off at this time (1 noise, 0 image) and below");
        v.number("high", high, {0, 1}, "and above this one");
    }
};

class IntervalGuidance final : public Method {
  public:
    explicit IntervalGuidance(const IntervalParams& params) : params_(params) {}

    double guidance(double cfg_scale, const GroupStep& at) override {
        return at.time > params_.low && at.time <= params_.high ? cfg_scale : 1.0;
    }

  private:
    IntervalParams params_;
};

}  // namespace gass
