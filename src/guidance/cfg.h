#pragma once

#include "diffusion/method.h"
#include "guidance/method_traits.h"
#include "guidance/text/parameters.h"

namespace gass {

struct CfgParams {
    double scale = 0.0;

    void visit(ParameterVisitor& v) {
        v.number("scale", scale, {0, 100},
                 "the guidance weight at every step, 1 and below guides not; 0: the request's own");
    }
    MethodTraits traits() const { return {.sets_guidance = true, .cfg_scale = scale}; }
};

/// Classifier-free guidance at a scale of its own: less of it is the simplest way to more variety.
class Cfg final : public Method {
  public:
    explicit Cfg(const CfgParams& params) : params_(params) {}

    double guidance(double cfg_scale, const GroupStep& /*at*/) override {
        return params_.scale == 0.0 ? cfg_scale : params_.scale;
    }

  private:
    CfgParams params_;
};

}  // namespace gass
