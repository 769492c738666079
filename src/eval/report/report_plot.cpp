#include "eval/report/report_html_parts.h"
#include "page/shown.h"
#include "plot/lettered_marks.h"
#include "plot/scatter_plot.h"

#include <fmt/format.h>

#include <algorithm>

namespace gass::eval {
namespace {

using plot::LetteredMark;
using plot::Plot;
using plot::PlotFrame;
using plot::Point;

constexpr double kCapWidth = 3;

/// "A, none: ClipScore 0.303, VS 2.1"
std::string words_of(const Suite& suite, const PlacedMethod& method, const SuiteMetric& x,
                     const SuiteMetric& y) {
    return fmt::format("{}, {}: {} {}, {} {}{}", plot::letter_of(method.method),
                       suite.methods[method.method].name, x.name, page::shown(method.x, x.decimals), y.name,
                       page::shown(method.y, y.decimals), method.on_front ? ", on the front" : "");
}

PlotFrame frame_for(const Suite& suite, const std::vector<PlacedMethod>& methods, const SuiteMetric& x,
                    const SuiteMetric& y) {
    PlotFrame frame{.description = fmt::format("{} over {}.", y.name, x.name),
                    .x_title = x.more_is_better ? x.name + " →" : "← " + x.name,
                    .y_title = (y.more_is_better ? "↑ " : "↓ ") + y.name,
                    .x = {},
                    .y = {},
                    .width = 420,
                    .height = 320};
    std::vector<double> across;
    std::vector<double> up;
    const auto cover = [](std::vector<double>& values, double mean, const std::optional<Interval>& interval) {
        values.push_back(mean);
        if (interval) values.insert(values.end(), {interval->low, interval->high});
    };
    for (const PlacedMethod& method : methods) {
        frame.description += " " + words_of(suite, method, x, y) + ".";
        cover(across, method.x, method.x_interval);
        cover(up, method.y, method.y_interval);
    }
    frame.x = plot::roomy_range(across);
    frame.y = plot::roomy_range(up);
    return frame;
}

void draw_whisker(Plot& plot, Point from, Point to, const std::string& classes) {
    plot.line(from, to, classes);
    const bool is_level = from.y == to.y;
    const double dx = is_level ? 0 : kCapWidth;
    const double dy = is_level ? kCapWidth : 0;
    for (const Point& end : {from, to})
        plot.line({end.x - dx, end.y - dy}, {end.x + dx, end.y + dy}, classes);
}

void draw_whiskers(Plot& plot, const PlacedMethod& method) {
    const std::string classes = "whisker " + plot::color_class(method.method);
    if (const auto& interval = method.x_interval)
        draw_whisker(plot, plot.at(interval->low, method.y), plot.at(interval->high, method.y), classes);
    if (const auto& interval = method.y_interval)
        draw_whisker(plot, plot.at(method.x, interval->low), plot.at(method.x, interval->high), classes);
}

void draw_front(Plot& plot, const std::vector<PlacedMethod>& methods) {
    std::vector<Point> points;
    for (const PlacedMethod& method : methods) {
        if (method.on_front) points.push_back(plot.at(method.x, method.y));
    }
    std::sort(points.begin(), points.end(),
              [](const Point& a, const Point& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
    for (std::size_t i = 1; i < points.size(); ++i) plot.line(points[i - 1], points[i], "front");
}

}  // namespace

std::string front_plot(const Suite& suite, const SuitePlot& plot, const std::vector<PlacedMethod>& methods,
                       const TextPainter& painter) {
    const SuiteMetric* x = suite.find_metric(plot.x);
    const SuiteMetric* y = suite.find_metric(plot.y);
    if (x == nullptr || y == nullptr || methods.empty()) return {};
    Plot drawn(painter, frame_for(suite, methods, *x, *y));
    draw_front(drawn, methods);
    std::vector<LetteredMark> marks;
    for (const PlacedMethod& method : methods) {
        draw_whiskers(drawn, method);
        marks.push_back({.method = method.method,
                         .name = page::beginning(suite.methods[method.method].name, 80),
                         .place = drawn.at(method.x, method.y),
                         .tooltip = words_of(suite, method, *x, *y),
                         .has_ring = method.on_front});
    }
    plot::draw_lettered_marks(drawn, marks);
    return drawn.svg();
}

}  // namespace gass::eval
