#include "explain/panel.h"

#include <algorithm>
#include <cmath>

namespace gass::explain {

using plot::Anchor;
using plot::Line;
using plot::range_of;
using plot::TextRun;
using plot::Tick;

namespace {

constexpr unsigned kTitleSize = 15;
constexpr unsigned kTextSize = 11;
constexpr std::size_t kMaxCaptionLines = 4;

// From the top of a panel.
constexpr double kTitleLine = 15;
constexpr double kLegendLine = 37;
constexpr double kAcrossTitleLine = 60;
constexpr double kPlotTop = 68;
// From the bottom of the plot.
constexpr double kTickLine = 16;
constexpr double kAlongTitleLine = 34;
constexpr double kCaptionLine = 56;
constexpr double kLineHeight = 15;

double text_width(const TextPainter& painter, const std::string& text, unsigned size = kTextSize) {
    return static_cast<double>(painter.width(text, size));
}

double widest(const TextPainter& painter, const std::vector<Tick>& list) {
    double width = 0;
    for (const Tick& tick : list) width = std::max(width, text_width(painter, tick.label));
    return width;
}

/// A line through the middle of pixels is sharp.
double sharp(double coordinate) {
    return std::floor(coordinate) + 0.5;
}

std::vector<Tick> ticks_of(const Scale& scale, double from, double to, std::size_t max_count) {
    return plot::ticks({scale.value_at(from), scale.value_at(to)}, max_count);
}

/// As many ticks as their labels leave room for.
std::vector<Tick> horizontal_ticks(const TextPainter& painter, const Scale& scale, const Area& plot) {
    constexpr double kApart = 16;
    for (std::size_t max_count = 8; max_count > 2; --max_count) {
        std::vector<Tick> list = ticks_of(scale, plot.left, plot.right(), max_count);
        const double apart = list.size() < 2 ? plot.width : scale(list[1].value) - scale(list[0].value);
        if (widest(painter, list) + kApart <= apart) return list;
    }
    return ticks_of(scale, plot.left, plot.right(), 2);
}

void draw_legend(Scene& scene, const TextPainter& painter, const Panel& panel, Point corner) {
    double x = corner.x;
    for (const LegendEntry& entry : panel.legend) {
        // An arrow and a ring are wider than the other marks.
        const double half = entry.mark == Mark::target || entry.mark == Mark::unmoved ? 8 : 6;
        draw_mark(scene, entry.mark, {x + half, corner.y + kLegendLine - kTextSize * 0.36});
        x += 2 * half + 5;
        scene.add(TextRun{{x, corner.y + kLegendLine}, entry.text, kTextSize, kLabel, Anchor::start});
        x += text_width(painter, entry.text) + 16;
    }
}

void draw_axes(Scene& scene, const TextPainter& painter, const Frame& frame,
               const std::vector<Tick>& vertical) {
    const Area& plot = frame.plot;
    scene.add_area(plot, {kPlot, {}, 1});
    for (const Tick& tick : vertical) {
        const double y = sharp(frame.across(tick.value));
        scene.add(Line{{plot.left, y}, {plot.right(), y}, kGrid, 1});
        scene.add(TextRun{{plot.left - 7, y + kTextSize * 0.36}, tick.label, kTextSize, kMuted, Anchor::end});
    }
    for (const Tick& tick : horizontal_ticks(painter, frame.along, plot)) {
        const double x = sharp(frame.along(tick.value));
        scene.add(Line{{x, plot.top}, {x, plot.bottom()}, kGrid, 1});
        scene.add(TextRun{{x, plot.bottom() + kTickLine}, tick.label, kTextSize, kMuted, Anchor::middle});
    }
    scene.add_area({sharp(plot.left), sharp(plot.top), std::floor(plot.width), std::floor(plot.height)},
                   {{}, kFrame, 1});
}

}  // namespace

void draw_label(Scene& scene, const TextPainter& painter, Labels& labels, Point point, double radius,
                const std::string& text) {
    const auto height = static_cast<double>(kLabelSize);
    const auto area = labels.take(point, radius, text_width(painter, text, kLabelSize), height);
    if (!area) return;
    // Digits are three quarters of their size high.
    const Point baseline{area->left, area->top + height / 2 + kLabelSize * 0.37};
    scene.add(TextRun{baseline, text, kLabelSize, kLabel, Anchor::start});
}

std::vector<std::string> caption_lines(const Panel& panel, const TextPainter& painter, double width) {
    return painter.wrap(panel.caption, kTextSize, static_cast<std::int64_t>(width), kMaxCaptionLines);
}

double panel_height(double plot_height, std::size_t lines) {
    return kPlotTop + plot_height + kAlongTitleLine + 8 +
           (lines == 0 ? 0 : kCaptionLine - kAlongTitleLine + static_cast<double>(lines - 1) * kLineHeight);
}

void draw_panel(Scene& scene, const TextPainter& painter, const Panel& panel, Point corner, double width,
                double plot_height) {
    std::vector<double> along;
    std::vector<double> across;
    for (const Place& place : panel.covered) {
        along.push_back(place.along);
        across.push_back(place.across);
    }
    Frame frame;
    frame.plot.top = std::floor(corner.y + kPlotTop);
    frame.plot.height = plot_height;
    frame.across = {range_of(across), frame.plot.bottom() - panel.inset, frame.plot.top + panel.inset};
    const std::vector<Tick> vertical = ticks_of(frame.across, frame.plot.bottom(), frame.plot.top, 8);
    // The labels decide where the plot begins.
    frame.plot.left = std::floor(corner.x + std::max(36.0, widest(painter, vertical) + 8));
    frame.plot.width = std::floor(corner.x + width - frame.plot.left);
    frame.along = {range_of(along), frame.plot.left + panel.inset, frame.plot.right() - panel.inset};

    for (const std::string& line : painter.wrap(panel.title, kTitleSize, static_cast<std::int64_t>(width), 1))
        scene.add(TextRun{{corner.x, corner.y + kTitleLine}, line, kTitleSize, kInk, Anchor::start});
    draw_legend(scene, painter, panel, corner);
    scene.add(TextRun{{frame.plot.left, corner.y + kAcrossTitleLine},
                      panel.across_title,
                      kTextSize,
                      kMuted,
                      Anchor::start});
    draw_axes(scene, painter, frame, vertical);
    scene.add(TextRun{{frame.plot.right(), frame.plot.bottom() + kAlongTitleLine},
                      "along: cosine to the prompt →",
                      kTextSize,
                      kMuted,
                      Anchor::end});
    panel.draw(scene, painter, frame);
    double y = frame.plot.bottom() + kCaptionLine;
    for (const std::string& line : caption_lines(panel, painter, width)) {
        scene.add(TextRun{{corner.x, y}, line, kTextSize, kLabel, Anchor::start});
        y += kLineHeight;
    }
}

}  // namespace gass::explain
