#include "guidance/interval.h"

#include "guidance/levels.h"

namespace gass {

void IntervalParams::visit(ParameterVisitor& v) {
    v.number("low", low, {0, 1000}, "guidance is off at this level and below");
    v.number("high", high, {0, 1000}, "and above this one");
    v.choice(
        "level", level, "time|sigma|ve|fraction",
        "what is compared: timestep / 1000, the noise's share in 0 to 1, noise per signal, or steps left");
}

double IntervalGuidance::level(const GroupStep& at) const {
    if (params_.level == "sigma") return unit_sigma(family_, at.step.from);
    if (params_.level == "ve") return ve_sigma(at.step.from);
    if (params_.level == "fraction") return steps_left(at);
    return at.time;
}

double IntervalGuidance::guidance(double cfg_scale, const GroupStep& at) {
    const double here = level(at);
    return here > params_.low && here <= params_.high ? cfg_scale : 1.0;
}

}  // namespace gass
