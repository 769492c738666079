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

/// The knobs of an effort, as the study on the embedded models found them to work best together
/// (docs/gass.md): flow models spread where guidance is off at high noise, and match the prompt again where
/// it is stronger afterwards; diffusion models spread where all of it is weaker. Starting noise is spread out
/// at once, since that costs nothing.
Knobs knobs_at(Family family, double effort, bool can_look) {
    const bool flow = family == Family::flow;
    return {{"interval", text(std::max(0.0, 1 - (flow ? 0.6 : 0.2) * effort))},
            {"guidance", text(flow ? 1 + 2 * effort : std::max(0.0, 1 - 0.6 * effort))},
            {"start", text(std::min(1.0, 4 * effort))},
            {"mean_scale", text(1 + (flow ? 0.73 : 1.2) * effort)},
            {"candidates", can_look ? "4" : "1"}};
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

Dial::Dial(Family family, DialPoints points) : family_(family), points_(std::move(points)) {
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
    MethodSpec result = spec;
    for (const auto& [key, value] : strength == 0 ? kOff : knobs_at(family_, effort(strength), can_look))
        result.set_if_open(key, value);
    return result;
}

std::string without_dialled(std::string_view methods) {
    MethodSpecs specs = parse_methods(methods);
    for (MethodSpec& spec : specs) {
        if (spec.find("strength") == nullptr) continue;
        std::erase_if(spec.parameters, [](const auto& parameter) {
            return std::ranges::find(kOff, parameter.first, &Knobs::value_type::first) != kOff.end();
        });
    }
    return to_string(specs);
}

}  // namespace gass
