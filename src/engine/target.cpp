#include "engine/target.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "guidance/parameters.h"
#include "guidance/registry.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gass {
namespace {

/// A set's spread cannot be set finer: the next set of seeds differs by more.
constexpr double kCloseEnough = 0.01;
constexpr std::size_t kMostSets = 8;

struct Trial {
    double strength = 0.0;
    double reached = 0.0;
    Request request;
    Group group;
};

Trial try_strength(const Engine& engine, const Request& asked, double strength, const Target& target,
                   const Events& events) {
    MethodSpecs specs = parse_methods(asked.method);
    find_method(specs, "gass")->set("strength", fmt::format("{}", strength));
    Trial trial{.strength = strength, .reached = 0.0, .request = asked, .group = {}};
    trial.request.method = engine.complete_method(to_string(specs));
    const auto starts = static_cast<std::size_t>(candidates_for(trial.request.method, asked.images));
    const bool selects = starts > static_cast<std::size_t>(asked.images);
    if (!target.seeds_are_listed || !selects) trial.request.seeds = seeds_for(asked.seeds, starts);
    engine.complete(trial.request);
    trial.group = engine.generate(trial.request, events);
    trial.reached = measured_spread(trial.group, "--target").at(target.metric).get<double>();
    return trial;
}

}  // namespace

Target parse_target(std::string_view text) {
    const std::size_t equals = text.find('=');
    Target target;
    target.metric = text.substr(0, equals);
    std::string_view number = equals == std::string_view::npos ? "" : text.substr(equals + 1);
    target.relative = number.starts_with('x');
    if (target.relative) number.remove_prefix(1);
    const auto value = parse_number<double>(number);
    const bool known = target.metric == "spp" || target.metric == "vendi" || target.metric == "pairwise";
    if (!known || !value || !std::isfinite(*value) || *value <= 0)
        fail(ErrorCode::usage, "--target",
             "expected spp=, vendi= or pairwise= and a number, x1.3 for 1.3 times plain; got {}",
             in_quotes(text));
    target.value = *value;
    return target;
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

void check_target(const Request& request) {
    if (!has_method(request.method, "gass"))
        fail(ErrorCode::usage, "--target", "the method {} has no strength; gass has",
             in_quotes(method_name(request.method)));
    if (request.images < 2) fail(ErrorCode::usage, "--target", "one image has no spread");
}

Group reach_target(const Engine& engine, Request& request, const Target& target, const Events& events) {
    check_target(request);
    request.measure = true;
    Trial best = try_strength(engine, request, 0.0, target, events);
    const double plain = best.reached;
    const double wanted = target.relative ? target.value * plain : target.value;
    const std::size_t sets = search_strength(plain, wanted, [&](double strength) {
        Trial trial = try_strength(engine, request, strength, target, events);
        const double reached = trial.reached;
        if (std::abs(reached - wanted) < std::abs(best.reached - wanted)) best = std::move(trial);
        return reached;
    });
    best.group.spread["target"] = {{"metric", target.metric},
                                   {"wanted", wanted},
                                   {"reached", best.reached},
                                   {"plain", plain},
                                   {"strength", best.strength},
                                   {"sets", sets},
                                   {"met", is_close(best.reached, wanted)}};
    request = std::move(best.request);
    return std::move(best.group);
}

}  // namespace gass
