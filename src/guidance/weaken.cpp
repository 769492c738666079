#include "guidance/weaken.h"

#include <ATen/Functions.h>

namespace gass {

Condition weakened(const Condition& condition, const Condition& empty, double share, const GroupStep& at) {
    if (share == 0 || at.index + 1 == at.count) return condition;
    Condition mixed = condition;
    mixed.sequence = at::lerp(condition.sequence, empty.sequence.expand_as(condition.sequence), share);
    if (condition.pooled.defined())
        mixed.pooled = at::lerp(condition.pooled, empty.pooled.expand_as(condition.pooled), share);
    return mixed;
}

void WeakenParams::visit(ParameterVisitor& v) {
    v.number("amount", amount, {0, 1}, "how far the prompt gives way to the empty one");
    v.number("until", until, {0, 1}, "while the time (1 noise, 0 image) is above this");
}

Condition Weaken::condition(const Condition& condition, const GroupStep& at) {
    if (at.time <= params_.until) return condition;
    return weakened(condition, setup_.empty, params_.amount, at);
}

}  // namespace gass
