#include "compare/measures.h"

#include "core/optional_number.h"
#include "page/shown.h"

#include <algorithm>

namespace gass::compare {

std::optional<Spread> spread_of(const ComparedGroup& group) {
    if (!group.error.empty() || !group.spread) return std::nullopt;
    Spread spread = *group.spread;
    const std::size_t places = std::min({spread.along.size(), spread.across.size(), group.images.size()});
    spread.along.resize(places);
    spread.across.resize(places);
    return spread;
}

Number value_of(const ComparedGroup& group, const Measure& measure) {
    if (!group.error.empty()) return std::nullopt;
    if (measure.of_spread == nullptr) return if_finite(group.seconds);
    return group.spread ? (*group.spread).*measure.of_spread : std::nullopt;
}

Mean mean_of(const std::vector<const ComparedGroup*>& groups, const Measure& measure) {
    Mean mean;
    double sum = 0;
    for (const ComparedGroup* group : groups) {
        const Number value = value_of(*group, measure);
        if (!value) continue;
        sum += *value;
        ++mean.prompts;
    }
    if (mean.prompts > 0) mean.value = if_finite(sum / static_cast<double>(mean.prompts));
    return mean;
}

std::size_t ComparedMethod::failures() const {
    return static_cast<std::size_t>(std::count_if(
        groups.begin(), groups.end(), [](const ComparedGroup* group) { return !group->error.empty(); }));
}

std::vector<ComparedMethod> methods_of(const ComparedPrompt& prompt) {
    std::vector<ComparedMethod> methods;
    for (const ComparedGroup& group : prompt.groups) methods.push_back({group.method, {&group}});
    return methods;
}

std::vector<ComparedMethod> methods_of(const Comparison& comparison) {
    std::vector<ComparedMethod> methods;
    for (const ComparedPrompt& prompt : comparison.prompts) {
        for (std::size_t i = 0; i < prompt.groups.size(); ++i) {
            if (i == methods.size()) methods.push_back({prompt.groups[i].method, {}});
            methods[i].groups.push_back(&prompt.groups[i]);
        }
    }
    return methods;
}

std::string shown(Number value, const Measure& measure) {
    return page::shown(value, measure.decimals);
}

std::vector<bool> best_of(const std::vector<Mean>& means, const Measure& measure) {
    std::size_t most = 1;
    for (const Mean& mean : means) most = std::max(most, mean.prompts);
    std::vector<Number> compared;
    for (const Mean& mean : means) compared.push_back(mean.prompts == most ? mean.value : std::nullopt);
    return page::best_of(compared, measure.decimals, measure.more_is_better);
}

}  // namespace gass::compare
