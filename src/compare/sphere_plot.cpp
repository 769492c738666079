#include "compare/measures.h"
#include "compare/plots.h"
#include "plot/labels.h"
#include "plot/lettered_marks.h"
#include "plot/scatter_plot.h"

#include <fmt/format.h>

#include <algorithm>

namespace gass::compare {
namespace {

using plot::color_class;
using plot::Plot;
using plot::Point;
using plot::roomy_range;

constexpr double kRadius = 4;

/// The corners of the smallest convex area around these points (Andrew's monotone chain).
std::vector<Point> hull(std::vector<Point> points) {
    std::sort(points.begin(), points.end(),
              [](Point a, Point b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
    std::vector<Point> corners;
    const auto half = [&](auto first, auto last) {
        const std::size_t start = corners.size();
        for (auto point = first; point != last; ++point) {
            const auto turns_back = [&] {
                const Point& a = corners[corners.size() - 2];
                const Point& b = corners.back();
                return (b.x - a.x) * (point->y - a.y) - (b.y - a.y) * (point->x - a.x) <= 0;
            };
            while (corners.size() >= start + 2 && turns_back()) corners.pop_back();
            corners.push_back(*point);
        }
        corners.pop_back();  // it is the first of the other half
    };
    half(points.begin(), points.end());
    half(points.rbegin(), points.rend());
    return corners;
}

}  // namespace

SphereAxes sphere_axes(const ComparedPrompt& prompt) {
    std::vector<double> along;
    std::vector<double> across;
    for (const ComparedGroup& group : prompt.groups) {
        const auto spread = spread_of(group);
        if (!spread) continue;
        for (const auto& place : explain::places_of(*spread)) {
            if (!place) continue;
            along.push_back(place->along);
            across.push_back(place->across);
        }
    }
    return {roomy_range(along), roomy_range(across)};
}

std::string sphere_plot(const ComparedGroup& group, std::size_t method, const SphereAxes& axes,
                        const TextPainter& painter) {
    struct Shown {
        std::size_t image;
        Point point;
    };
    const auto spread = spread_of(group);
    if (!spread) return {};
    Plot plot(painter,
              {.description = "Where the images of this set lie on the sphere, along and across the prompt.",
               .x_title = "along the prompt →",
               .y_title = "↑ across",
               .x = axes.along,
               .y = axes.across,
               .width = 280,
               .height = 280});
    std::vector<Shown> shown;
    std::vector<Point> points;
    const std::vector<std::optional<explain::Place>> places = explain::places_of(*spread);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!places[i]) continue;
        points.push_back(plot.at(places[i]->along, places[i]->across));
        shown.push_back({i, points.back()});
        plot.keep_off(points.back(), kRadius + 1);
    }
    if (shown.empty()) return {};
    if (points.size() > 2) plot.polygon(hull(points), "hull " + color_class(method));
    for (const Shown& one : shown) {
        const std::string seed =
            one.image < group.seeds.size() ? fmt::format("seed {}", group.seeds[one.image]) : "";
        plot.disc(one.point, kRadius, "mark " + color_class(method), seed);
    }
    for (const Shown& one : shown) {
        if (one.image < group.seeds.size())
            plot.label(one.point, kRadius, plot::seed_label(group.seeds[one.image], 6), "");
    }
    return plot.svg();
}

}  // namespace gass::compare
