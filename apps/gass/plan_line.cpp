#include "plan_line.h"

#include "core/optional_number.h"
#include "output.h"

#include <fmt/format.h>

namespace gass::cli {

std::string plan_line(const Plan& plan, const PlanCost& cost) {
    std::string text = fmt::format(
        "{} image{} of {}x{} by {}, {} steps: {} network evaluations, up to {} images at a time; {} of "
        "weights and "
        "about {} beside them; ",
        plan.images(), plan.images() == 1 ? "" : "s", plan.width(), plan.height(), plan.method_name(),
        plan.steps(), cost.evaluations, cost.images_per_call, human_bytes(cost.weight_bytes),
        human_bytes(cost.activation_bytes));
    return text + (cost.seconds ? fmt::format("about {:.0f} s, as the last such set took", *cost.seconds)
                                : "how long is known once such a set was made here");
}

Json cost_json(const PlanCost& cost) {
    return {{"evaluations", cost.evaluations},
            {"images_per_call", cost.images_per_call},
            {"weight_bytes", cost.weight_bytes},
            {"activation_bytes", cost.activation_bytes},
            {"seconds", or_null(cost.seconds)}};
}

}  // namespace gass::cli
