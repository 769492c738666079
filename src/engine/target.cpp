#include "engine/target.h"

#include "core/fail.h"
#include "core/parse_number.h"
#include "core/quote.h"
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

Trial try_strength(const Engine& engine, const Request& asked, double strength, const std::string& metric,
                   const Events& events) {
    MethodSpec spec = parse_method(asked.method);
    std::erase_if(spec.parameters, [](const auto& own) { return own.first == "strength"; });
    spec.parameters.emplace_back("strength", fmt::format("{}", strength));
    Trial trial{.strength = strength, .reached = 0.0, .request = asked, .group = {}};
    trial.request.method = engine.complete_method(to_string(spec));
    const std::int64_t starts = candidates_for(trial.request.method, asked.images);
    trial.request.seeds = seeds_for(asked.seeds, static_cast<std::size_t>(starts));
    trial.request.measure = true;
    engine.complete(trial.request);
    trial.group = engine.generate(trial.request, events);
    if (trial.group.spread.is_null())
        fail(ErrorCode::failure, "--target", "the guide's view of the images is not finite");
    trial.reached = trial.group.spread.at(metric).get<double>();
    return trial;
}

}  // namespace

Target parse_target(std::string_view text) {
    const std::size_t equals = text.find('=');
    Target target{.metric = std::string(text.substr(0, equals)), .value = 0.0, .relative = false};
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

Group reach_target(const Engine& engine, Request& request, const Target& target, const Events& events) {
    if (method_name(request.method) != "gass")
        fail(ErrorCode::usage, "--target", "the method {} has no strength; gass has",
             in_quotes(method_name(request.method)));
    if (request.images < 2) fail(ErrorCode::usage, "--target", "one image has no spread");
    std::vector<Trial> trials;
    const auto attempt = [&](double strength) -> const Trial& {
        trials.push_back(try_strength(engine, request, strength, target.metric, events));
        return trials.back();
    };
    const double plain = attempt(0.0).reached;
    const double wanted = target.relative ? target.value * plain : target.value;
    const auto close = [&](const Trial& trial) {
        return std::abs(trial.reached - wanted) <= kCloseEnough * wanted;
    };
    // Between a strength below and one above, cut where the straight line between them says; a set's spread
    // is not quite monotone, so never too near an end.
    double low = 0.0;
    double low_value = plain;
    double high = 1.0;
    double high_value = plain < wanted && !close(trials.front()) ? attempt(1.0).reached : plain;
    while (high_value > wanted && !close(trials.back()) && trials.size() < kMostSets) {
        const double share = (wanted - low_value) / (high_value - low_value);
        const double strength = low + std::clamp(share, 0.15, 0.85) * (high - low);
        const double reached = attempt(std::round(strength * 1e4) / 1e4).reached;
        (reached < wanted ? low : high) = strength;
        (reached < wanted ? low_value : high_value) = reached;
    }
    const auto best = std::ranges::min_element(
        trials, {}, [&](const Trial& trial) { return std::abs(trial.reached - wanted); });
    best->group.spread["target"] = {
        {"metric", target.metric},    {"wanted", wanted},      {"reached", best->reached}, {"plain", plain},
        {"strength", best->strength}, {"sets", trials.size()}, {"met", close(*best)}};
    request = best->request;
    return std::move(best->group);
}

}  // namespace gass
