#include "io/filter_taps.h"

#include "core/fail.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gass {
namespace {

constexpr double kLanczosReach = 3;

double bilinear(double x) {
    return std::max(1 - std::abs(x), 0.0);
}

/// Keys' cubic with a = −1/2
double bicubic(double x) {
    constexpr double a = -0.5;
    x = std::abs(x);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
    return 0;
}

double sinc(double x) {
    if (x == 0) return 1;
    x *= std::numbers::pi;
    return std::sin(x) / x;
}

double lanczos(double x) {
    return -kLanczosReach <= x && x < kLanczosReach ? sinc(x) * sinc(x / kLanczosReach) : 0;
}

double value_of(Filter filter, double x) {
    switch (filter) {
        case Filter::bilinear:
            return bilinear(x);
        case Filter::bicubic:
            return bicubic(x);
        case Filter::lanczos:
            return lanczos(x);
    }
    return 0;
}

double reach_of(Filter filter) {
    return filter == Filter::bilinear ? 1 : filter == Filter::bicubic ? 2 : kLanczosReach;
}

/// Weights are made for one value after another, so that only the converted ones take memory.
template <class Weight, class Convert>
FilterTaps<Weight> make_taps(std::int64_t from, const Stretch& to, Filter filter, const Convert& convert) {
    constexpr double kMostWeights = 64 << 20U;
    const double scale = static_cast<double>(from) / static_cast<double>(to.length);
    const double widening = std::max(scale, 1.0);  // shrinking widens the filter: that is the antialiasing
    const double reach = reach_of(filter) * widening;
    if (static_cast<double>(to.count) * (2 * reach + 1) > kMostWeights) {
        fail(ErrorCode::model_invalid, "resize", "a side of {} pixels is too long to be made {} pixels long",
             from, to.length);
    }
    FilterTaps<Weight> taps;
    taps.start.push_back(0);
    std::vector<double> row;
    for (std::int64_t i = 0; i < to.count; ++i) {
        const double centre = (static_cast<double>(to.first + i) + 0.5) * scale;
        const auto first = std::max<std::int64_t>(0, static_cast<std::int64_t>(centre - reach + 0.5));
        const auto end = std::min(from, static_cast<std::int64_t>(centre + reach + 0.5));
        row.clear();
        double sum = 0;
        for (std::int64_t x = 0; x < end - first; ++x) {
            const double place = static_cast<double>(x + first) - centre + 0.5;
            row.push_back(value_of(filter, place * (1 / widening)));
            sum += row.back();
        }
        for (const double weight : row) taps.weights.push_back(convert(sum != 0 ? weight / sum : weight));
        taps.first.push_back(first);
        taps.start.push_back(taps.weights.size());
    }
    return taps;
}

}  // namespace

FilterTaps<double> filter_taps(std::int64_t from, const Stretch& to, Filter filter) {
    return make_taps<double>(from, to, filter, [](double weight) { return weight; });
}

FilterTaps<std::int32_t> whole_filter_taps(std::int64_t from, const Stretch& to, Filter filter) {
    return make_taps<std::int32_t>(from, to, filter, [](double weight) {
        constexpr double kOne = 1U << kWeightBits;
        return static_cast<std::int32_t>(weight * kOne + (weight < 0 ? -0.5 : 0.5));
    });
}

}  // namespace gass
