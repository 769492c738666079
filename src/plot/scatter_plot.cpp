#include "plot/scatter_plot.h"

#include "core/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace gass::plot {
namespace {

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
    return ticks(range, std::clamp<std::size_t>(most, 2, 6));
}

double width_of(const TextPainter& painter, std::string_view text) {
    return static_cast<double>(painter.width(text, kTextSize));
}

std::vector<Tick> vertical_ticks(const PlotFrame& frame) {
    return ticks(frame.y, 5);
}

/// The labels decide where the plot begins.
Area area_of(const TextPainter& painter, const PlotFrame& frame) {
    double widest = 0;
    for (const Tick& tick : vertical_ticks(frame)) widest = std::max(widest, width_of(painter, tick.label));
    const double left = std::ceil(widest) + 7;
    return {left, kTop, frame.width - left - kRight, frame.height - kTop - kBottom};
}

}  // namespace

Plot::Plot(const TextPainter& painter, const PlotFrame& frame)
    : painter_(painter),
      area_(area_of(painter, frame)),
      x_{frame.x, area_.left, area_.right()},
      y_{frame.y, area_.bottom(), area_.top},
      labels_(area_, {.gap = 3}) {
    put(out_, "<svg class=\"plot\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">",
        frame.width, frame.height, xml_escaped(frame.description));
    draw_axes(frame);
}

void Plot::draw_axes(const PlotFrame& frame) {
    put(out_, "<rect class=\"ground\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
        area_.left, area_.top, area_.width, area_.height);
    for (const Tick& tick : vertical_ticks(frame)) {
        const double y = y_(tick.value);
        line({area_.left, y}, {area_.right(), y}, "grid");
        text({area_.left - 5, y + kTextSize * 0.36}, tick.label, "end");
    }
    const std::string longest = ticks(frame.x, 6).back().label;
    for (const Tick& tick : fitting_ticks(frame.x, area_.width, width_of(painter_, longest))) {
        const double x = x_(tick.value);
        line({x, area_.top}, {x, area_.bottom()}, "grid");
        // The outermost labels stay within the drawing.
        const double half = width_of(painter_, tick.label) / 2;
        text({std::min(x, frame.width - half), area_.bottom() + 14}, tick.label, "middle");
    }
    text({area_.left, kTop - 8}, frame.y_title, "axis");
    text({area_.right(), area_.bottom() + 30}, frame.x_title, "axis end");
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

void Plot::text(Point baseline, std::string_view text, std::string_view classes) {
    put(out_, "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", classes, baseline.x, baseline.y,
        xml_escaped(text));
}

void Plot::label(Point point, double radius, std::string_view text, std::string_view classes) {
    const auto lines = painter_.wrap(text, kTextSize, static_cast<std::int64_t>(kLongestLabel), 1);
    if (lines.empty()) return;
    const double width = width_of(painter_, lines.front());
    const auto height = static_cast<double>(kTextSize);
    const auto area = labels_.take(point, radius, width, height);
    if (!area) return;
    this->text({area->left, area->top + height / 2 + kTextSize * 0.36}, lines.front(), classes);
}

}  // namespace gass::plot
