#pragma once

#include "diffusion/method.h"
#include "guidance/method_setup.h"
#include "guidance/method_traits.h"
#include "guidance/text/parameters.h"

namespace gass {

/// A condition with a share of the empty prompt's, which has one row, in its place. The last step sees the
/// prompt as it is: a model of one step has nothing to win it back with.
Condition weakened(const Condition& condition, const Condition& empty, double share, const GroupStep& at);

/// The first steps see the prompt less: where there is no guidance to leave out, as in distilled models, that
/// lets images differ.
struct WeakenParams {
    double amount = 0.7;
    double until = 0.95;

    void visit(ParameterVisitor& visitor);
    MethodTraits traits() const { return {.weakens = amount > 0}; }
};

class Weaken final : public Method {
  public:
    Weaken(const WeakenParams& params, MethodSetup setup) : params_(params), setup_(std::move(setup)) {}

    Condition condition(const Condition& condition, const GroupStep& at) override;

  private:
    WeakenParams params_;
    MethodSetup setup_;
};

}  // namespace gass
