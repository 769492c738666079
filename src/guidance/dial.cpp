#include "guidance/dial.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace gass {
namespace {

using Knobs = std::vector<std::pair<std::string, std::string>>;

/// What a strength of 0 means: nothing that changes a bit of plain guidance.
const Knobs kOff{
    {"interval", "1"}, {"guidance", "1"}, {"start", "0"}, {"mean_scale", "1"}, {"candidates", "1"}};

std::string text(double value) {
    // Six digits say all that a knob can tell apart, and read well in a record.
    return fmt::format("{}", std::round(value * 1e6) / 1e6);
}

/// How far each knob goes with the effort, as was found on the embedded models to work best together
/// (docs/gass.md).
struct Reach {
    double interval;
    double guidance;
    double mean_scale;
    const char* candidates;
    const char* early_steps;
};
constexpr Reach kFlow{
    .interval = 0.667, .guidance = 2.2, .mean_scale = 0.75, .candidates = "4", .early_steps = "3"};
constexpr Reach kDiffusion{
    .interval = 0.905, .guidance = 2.14, .mean_scale = 0.6, .candidates = "3", .early_steps = "2"};

/// Images spread where guidance is off, at high noise, and match the prompt again where it is stronger
/// afterwards. That early part is smooth, and taken in a few coarse steps: a set that differs is made faster
/// than one that does not, candidates that take one step to its end included. The chosen begin again, as
/// their starting noise is spread among themselves, which costs nothing and does most.
Knobs guided_knobs(Family family, double effort, bool can_look) {
    const Reach& reach = family == Family::flow ? kFlow : kDiffusion;
    return {{"interval", text(std::max(0.0, 1 - reach.interval * effort))},
            {"guidance", text(1 + reach.guidance * effort)},
            {"start", text(std::min(1.0, 4 * effort))},
            {"mean_scale", text(1 + reach.mean_scale * effort)},
            {"candidates", can_look ? reach.candidates : "1"},
            {"match", "0.4"},
            {"drop", "0"},
            {"scout_steps", "2"},
            {"early_steps", reach.early_steps},
            {"weaken", "0"}};
}

/// Distilled models have no guidance to leave out: their first step sees less of the prompt, and candidates
/// are compared after the second.
Knobs distilled_knobs(double effort, bool can_look) {
    return {{"interval", "0.95"},
            {"guidance", "1"},
            {"start", text(std::min(1.0, 4 * effort))},
            {"mean_scale", text(1 + 0.7 * effort)},
            {"candidates", can_look ? "2" : "1"},
            {"match", "0.7"},
            {"drop", "0"},
            {"scout_steps", "0"},
            {"early_steps", "0"},
            {"weaken", text(std::min(1.0, 1.1 * effort))}};
}

double strength_of(const MethodSpec& spec) {
    const std::string* text = spec.find("strength");
    if (text == nullptr) return kDefaultStrength;
    const auto strength = parse_number<double>(*text);
    if (!strength || !(*strength >= 0 && *strength <= 1))
        fail(ErrorCode::usage, SettingKey("strength"), "expected 0 to 1, got {}", in_quotes(*text));
    return *strength;
}

}  // namespace

Dial::Dial(Family family, bool is_guided, DialPoints points)
    : family_(family), is_guided_(is_guided), points_(std::move(points)) {
}

double Dial::effort(double strength) const {
    const auto above = std::ranges::find_if(points_, [&](const auto& p) { return p.first >= strength; });
    if (above == points_.begin()) return points_.front().second;
    const auto& [low, low_effort] = *std::prev(above);
    const auto& [high, high_effort] = *above;
    return low_effort + (high_effort - low_effort) * (strength - low) / (high - low);
}

bool Dial::turns(const MethodSpec& spec) {
    return std::ranges::any_of(kOff, [&](const auto& knob) { return spec.find(knob.first) == nullptr; });
}

MethodSpec Dial::apply(const MethodSpec& spec, bool can_look) const {
    const double strength = strength_of(spec);
    if (!turns(spec)) return spec;  // a record, be it one of a gass that knew fewer knobs
    const Knobs knobs = strength == 0 ? kOff
                        : is_guided_  ? guided_knobs(family_, effort(strength), can_look)
                                      : distilled_knobs(effort(strength), can_look);
    MethodSpec result = spec;
    for (const auto& [key, value] : knobs) result.set_if_open(key, value);
    // Candidates are compared as soon as guidance shows what becomes of them.
    if (strength > 0) result.set_if_open("select_time", std::string(*result.find("interval")));
    return result;
}

std::string without_dialled(std::string_view methods) {
    const Knobs dialled = distilled_knobs(0, /*can_look=*/true);
    MethodSpecs specs = parse_methods(methods);
    for (MethodSpec& spec : specs) {
        if (spec.find("strength") == nullptr) continue;
        std::erase_if(spec.parameters, [&](const auto& parameter) {
            return parameter.first == "select_time" ||
                   std::ranges::find(dialled, parameter.first, &Knobs::value_type::first) != dialled.end();
        });
    }
    return to_string(specs);
}

}  // namespace gass
