#include "plan_line.h"

#include "core/optional_number.h"
#include "core/wording.h"
#include "output.h"

#include <fmt/format.h>

namespace gass::cli {

std::string plan_line(const Plan& plan, const PlanCost& cost) {
    const auto of = [](std::int64_t count, std::string_view noun) {
        return counted(static_cast<std::uint64_t>(count), noun);
    };
    std::string text = fmt::format(
        "{} of {}x{} by {}, {}: {}, up to {} at a time; {} of weights and about {} beside them; ",
        of(plan.images(), "image"), plan.width(), plan.height(), plan.method_name(), of(plan.steps(), "step"),
        of(cost.evaluations, "network evaluation"), of(cost.images_per_call, "image"),
        human_bytes(cost.weight_bytes), human_bytes(cost.activation_bytes));
    return text + (cost.seconds ? fmt::format("about {:.0f} s, as the last such set took", *cost.seconds)
                                : "the time is known once such a set has been made here");
}

Json cost_json(const PlanCost& cost) {
    return {{"evaluations", cost.evaluations},
            {"images_per_call", cost.images_per_call},
            {"weight_bytes", cost.weight_bytes},
            {"activation_bytes", cost.activation_bytes},
            {"seconds", or_null(cost.seconds)}};
}

}  // namespace gass::cli
