#include "plot/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gass::plot {
namespace {

/// A double has some 16 digits; projections are rounded to fp32's 7 before they are written.
constexpr double kNarrowest = 1e-6;

struct Step {
    double size = 1;
    int decimals = 0;
};

/// The smallest round step that is not below `least`.
Step round_step(double least) {
    const int exponent = static_cast<int>(std::floor(std::log10(least)));
    const double power = std::pow(10.0, exponent);
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least * (1 - 1e-9)) return {factor * power, std::max(0, -exponent)};
    }
    return {10 * power, std::max(0, -exponent - 1)};
}

std::string label_of(double value, int decimals) {
    std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
    const bool is_zero = text.find_first_not_of("0.") == std::string::npos;
    return value < 0 && !is_zero ? "−" + text : text;
}

}  // namespace

Range range_of(const std::vector<double>& values) {
    if (values.empty()) return {};
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double narrowest = kNarrowest * std::max({1.0, std::abs(*low), std::abs(*high)});
    const double missing = std::max(0.0, narrowest - (*high - *low));
    return {*low - missing / 2, *high + missing / 2};
}

Range roomy_range(const std::vector<double>& values) {
    // Beyond what the third decimal tells, differences are noise.
    constexpr double kLeastShare = 0.04;
    constexpr double kLeast = 0.01;
    constexpr double kRoom = 0.12;
    const Range range = range_of(values);
    const double middle = (range.low + range.high) / 2;
    const double span =
        std::max({range.high - range.low, kLeastShare * std::abs(middle), kLeast}) * (1 + 2 * kRoom);
    return {middle - span / 2, middle + span / 2};
}

std::vector<Tick> ticks(Range range, std::size_t max_count) {
    const double span = range.high - range.low;
    const auto fitting = [&](Step step) {
        std::vector<Tick> result;
        const double first = std::ceil(range.low / step.size - 1e-9);
        const auto count =
            static_cast<std::size_t>(std::max(0.0, std::floor(range.high / step.size + 1e-9) - first + 1));
        for (std::size_t i = 0; i < count; ++i) {
            const double value = (first + static_cast<double>(i)) * step.size;
            result.push_back({value, label_of(value, step.decimals)});
        }
        return result;
    };
    Step step = round_step(span / static_cast<double>(max_count));
    std::vector<Tick> result = fitting(step);
    if (result.size() > max_count) result = fitting(round_step(step.size * 1.5));
    // So few are wanted that no round value may fall between the ends: then finer ones, the first of them.
    while (result.empty()) {
        step = round_step(step.size / 3);
        result = fitting(step);
        if (result.size() > max_count) result.resize(max_count);
    }
    return result;
}

}  // namespace gass::plot
