#include "engine/target.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "core/wording.h"
#include "engine/plan_parts.h"
#include "engine/session.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace gass {
namespace {

/// A set's spread cannot be set finer: the next set of seeds differs by more.
constexpr double kCloseEnough = 0.01;
constexpr std::size_t kMostSets = 8;

/// What a set may be wanted to spread by, and its range. Vendi's most is the number of images.
struct TargetMetric {
    std::string_view name;
    double least;
    double most;
};
constexpr std::array kMetrics{TargetMetric{"spp", 0, 4},
                              TargetMetric{"vendi", 1, std::numeric_limits<double>::infinity()},
                              TargetMetric{"pairwise", 0, 2}};

struct Trial {
    double strength = 0.0;
    double reached = 0.0;
    Group group;
};

/// The plan at a strength. Seeds that the user lists are all the candidates there are.
Plan plan_at(const Engine& engine, const Plan& plan, double strength) {
    Request request = plan.parts().request;
    request.images = plan.images();
    request.seed = static_cast<std::int64_t>(plan.seeds().front());
    request.strength = strength;
    request.target = std::nullopt;
    request.measure = true;
    const bool are_listed = !request.seeds.empty();
    request.seeds_go_on = are_listed;
    Plan result = engine.plan(request);
    if (!are_listed || !result.parts().methods.choose(plan.images(), !result.parts().shield_files.empty()))
        return result;
    request.seeds_go_on = false;
    return engine.plan(request);
}

Trial try_strength(const Engine& engine, const Plan& plan, double strength, const Events& events) {
    Trial trial{.strength = strength, .group = engine.generate(plan_at(engine, plan, strength), events)};
    const Spread& spread = measured_spread(trial.group, "target");
    const std::string& metric = plan.parts().target->metric;
    trial.reached = *(metric == "spp" ? spread.spp : metric == "vendi" ? spread.vendi : spread.pairwise);
    return trial;
}

}  // namespace

Target Target::parse(std::string_view text) {
    const std::size_t equals = text.find('=');
    Target target;
    target.metric = text.substr(0, equals);
    std::string_view number = equals == std::string_view::npos ? "" : text.substr(equals + 1);
    target.relative = number.starts_with('x');
    if (target.relative) number.remove_prefix(1);
    const auto value = parse_number<double>(number);
    std::vector<std::string_view> names;
    for (const TargetMetric& metric : kMetrics) names.push_back(metric.name);
    const bool is_known = std::ranges::find(names, target.metric) != names.end();
    if (!is_known || !value || !std::isfinite(*value) || *value <= 0)
        fail(ErrorCode::usage, SettingKey("target"),
             "expected spp=, vendi= or pairwise= and a number, x1.3 for 1.3 times plain; got {}{}",
             in_quotes(text), is_known ? std::string() : did_you_mean(target.metric, names));
    target.value = *value;
    return target;
}

void check_reachable(const Target& target, std::int64_t images) {
    const TargetMetric& metric = *std::ranges::find(kMetrics, target.metric, &TargetMetric::name);
    const double most = metric.name == "vendi" ? static_cast<double>(images) : metric.most;
    // What plain guidance has is not known yet; so many times that is too much where the least is.
    const double wanted = target.relative ? target.value * metric.least : target.value;
    if (wanted <= most && (target.relative || wanted >= metric.least)) return;
    fail(ErrorCode::usage, SettingKey("target"), "no set reaches {}: the {} of {} is {} to {}",
         in_quotes(target.text()), metric.name, counted(static_cast<std::uint64_t>(images), "image"),
         metric.least, most);
}

std::string Target::text() const {
    return fmt::format("{}={}{}", metric, relative ? "x" : "", value);
}

bool is_close(double reached, double wanted) {
    return std::abs(reached - wanted) <= kCloseEnough * wanted;
}

std::size_t search_strength(double plain, double wanted, const std::function<double(double)>& spread_at) {
    if (plain >= wanted || is_close(plain, wanted)) return 1;
    double low = 0.0;
    double low_value = plain;
    double high = 1.0;
    double high_value = spread_at(high);
    std::size_t sets = 2;
    double reached = high_value;
    // Between a strength below and one above, cut where the straight line between them says; a set's spread
    // is not quite monotone, so never too near an end.
    for (; high_value > wanted && !is_close(reached, wanted) && sets < kMostSets; ++sets) {
        const double share = (wanted - low_value) / (high_value - low_value);
        const double middle = low + std::clamp(share, 0.15, 0.85) * (high - low);
        const double strength = std::round(middle * 1e4) / 1e4;
        reached = spread_at(strength);
        (reached < wanted ? low : high) = strength;
        (reached < wanted ? low_value : high_value) = reached;
    }
    return sets;
}

Group reach_target(const Engine& engine, const Plan& plan, const Events& events) {
    const Target& target = *plan.parts().target;
    Trial best = try_strength(engine, plan, 0.0, events);
    const double plain = best.reached;
    const double wanted = target.relative ? target.value * plain : target.value;
    const std::size_t sets = search_strength(plain, wanted, [&](double strength) {
        Trial trial = try_strength(engine, plan, strength, events);
        const double reached = trial.reached;
        if (std::abs(reached - wanted) < std::abs(best.reached - wanted)) best = std::move(trial);
        return reached;
    });
    best.group.spread->target = {.metric = target.metric,
                                 .wanted = wanted,
                                 .reached = best.reached,
                                 .plain = plain,
                                 .strength = best.strength,
                                 .sets = sets,
                                 .met = is_close(best.reached, wanted)};
    return std::move(best.group);
}

}  // namespace gass
