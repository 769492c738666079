#include "page/plot.h"

#include "explain/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace gass::page {
namespace {

using explain::Tick;
using explain::xml_escaped;

// As the page's style has it.
constexpr unsigned kTextSize = 11;
constexpr double kTop = 22;
constexpr double kBottom = 36;
constexpr double kRight = 8;
constexpr double kLongestLabel = 130;

template <class... Args>
void put(std::string& out, fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out), text, std::forward<Args>(args)...);
}

/// As many ticks as their labels leave room for.
std::vector<Tick> fitting_ticks(Range range, double room, double widest_label) {
    const auto most = static_cast<std::size_t>(room / (widest_label + 14));
    return explain::ticks(range, std::clamp<std::size_t>(most, 2, 6));
}

}  // namespace

Range roomy_range(const std::vector<double>& values) {
    // Beyond what the third decimal tells, differences are noise.
    constexpr double kLeastShare = 0.04;
    constexpr double kLeast = 0.01;
    constexpr double kRoom = 0.12;
    const Range range = explain::range_of(values);
    const double middle = (range.low + range.high) / 2;
    const double span =
        std::max({range.high - range.low, kLeastShare * std::abs(middle), kLeast}) * (1 + 2 * kRoom);
    return {middle - span / 2, middle + span / 2};
}

Plot::Plot(const TextPainter& painter, const PlotFrame& frame) : painter_(painter) {
    put(out_, "<svg class=\"plot\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">",
        frame.width, frame.height, xml_escaped(frame.description));
    area_.top = kTop;
    area_.height = frame.height - kTop - kBottom;
    const std::vector<Tick> vertical = explain::ticks(frame.y, 5);
    double widest = 0;
    for (const Tick& tick : vertical) widest = std::max(widest, text_width(tick.label));
    // The labels decide where the plot begins.
    area_.left = std::ceil(widest) + 7;
    area_.width = frame.width - area_.left - kRight;
    x_ = {frame.x, area_.left, area_.right()};
    y_ = {frame.y, area_.bottom(), area_.top};
    draw_axes(frame, vertical);
}

void Plot::draw_axes(const PlotFrame& frame, const std::vector<Tick>& vertical) {
    put(out_, "<rect class=\"ground\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
        area_.left, area_.top, area_.width, area_.height);
    for (const Tick& tick : vertical) {
        const double y = y_(tick.value);
        line({area_.left, y}, {area_.right(), y}, "grid");
        words({area_.left - 5, y + kTextSize * 0.36}, tick.label, "end");
    }
    const std::string longest = explain::ticks(frame.x, 6).back().label;
    for (const Tick& tick : fitting_ticks(frame.x, area_.width, text_width(longest))) {
        const double x = x_(tick.value);
        line({x, area_.top}, {x, area_.bottom()}, "grid");
        // The outermost labels stay within the drawing.
        const double half = text_width(tick.label) / 2;
        words({std::min(x, frame.width - half), area_.bottom() + 14}, tick.label, "middle");
    }
    words({area_.left, kTop - 8}, frame.y_title, "axis");
    words({area_.right(), area_.bottom() + 30}, frame.x_title, "axis end");
}

double Plot::text_width(std::string_view text) const {
    return static_cast<double>(painter_.width(text, kTextSize));
}

void Plot::disc(Point center, double radius, std::string_view classes, std::string_view tooltip) {
    put(out_, "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"", classes, center.x, center.y,
        radius);
    if (tooltip.empty()) {
        out_ += "/>";
    } else {
        put(out_, "><title>{}</title></circle>", xml_escaped(tooltip));
    }
}

void Plot::line(Point from, Point to, std::string_view classes) {
    put(out_, "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>", classes, from.x,
        from.y, to.x, to.y);
}

void Plot::polygon(const std::vector<Point>& corners, std::string_view classes) {
    put(out_, "<polygon class=\"{}\" points=\"", classes);
    for (const Point& corner : corners) put(out_, "{:.1f},{:.1f} ", corner.x, corner.y);
    out_ += "\"/>";
}

void Plot::words(Point baseline, std::string_view text, std::string_view classes) {
    put(out_, "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", classes, baseline.x, baseline.y,
        xml_escaped(text));
}

bool Plot::is_free(const Area& area) const {
    return area_.contains(area) &&
           std::none_of(taken_.begin(), taken_.end(), [&](const Area& one) { return one.overlaps(area); });
}

void Plot::label(Point point, double radius, std::string_view text, std::string_view classes) {
    const auto lines = painter_.wrap(text, kTextSize, static_cast<std::int64_t>(kLongestLabel), 1);
    if (lines.empty()) return;
    const double width = text_width(lines.front());
    const auto height = static_cast<double>(kTextSize);
    const double near = radius + 3;
    for (const Point corner :
         {Point{point.x + near, point.y - height / 2}, Point{point.x - near - width, point.y - height / 2},
          Point{point.x - width / 2, point.y - near - height}, Point{point.x - width / 2, point.y + near}}) {
        const Area area{corner.x, corner.y, width, height};
        if (!is_free(area)) continue;
        keep_off(area);
        words({corner.x, corner.y + height / 2 + kTextSize * 0.36}, lines.front(), classes);
        return;
    }
}

std::string color_class(std::size_t method) {
    constexpr std::size_t kColors = 8;
    return fmt::format("m{}", method % kColors);
}

}  // namespace gass::page
