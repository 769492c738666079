#pragma once

#include "explain/geometry.h"
#include "explain/ticks.h"
#include "sheet/text_painter.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gass::page {

using explain::Area;
using explain::Point;
using explain::Range;

struct PlotFrame {
    std::string description;  ///< for those who cannot see it
    std::string x_title;
    std::string y_title;
    Range x;
    Range y;
    double width = 0;  ///< of everything, in units about as large as a pixel
    double height = 0;
};

/// The range of these values with some room around it; values that hardly differ do not fill the axis.
Range roomy_range(const std::vector<double>& values);

/// A scatter plot as SVG within a page. Colours come from classes, so that it follows the page's light or
/// dark scheme: "m0" to "m7" are those of the methods.
class Plot {
  public:
    Plot(const TextPainter& painter, const PlotFrame& frame);

    Point at(double x, double y) const { return {x_(x), y_(y)}; }
    const Area& area() const { return area_; }

    /// `tooltip` may be empty.
    void disc(Point center, double radius, std::string_view classes, std::string_view tooltip);
    void line(Point from, Point to, std::string_view classes);
    void polygon(const std::vector<Point>& corners, std::string_view classes);
    void words(Point baseline, std::string_view text, std::string_view classes);

    /// Labels keep off this area from now on.
    void keep_off(const Area& area) { taken_.push_back(area); }
    void keep_off(Point center, double radius) {
        keep_off({center.x - radius, center.y - radius, 2 * radius, 2 * radius});
    }
    /// Beside the mark at that point where it hides nothing; left out where there is no such place.
    void label(Point point, double radius, std::string_view text, std::string_view classes);

    std::string svg() const { return out_ + "</svg>"; }

  private:
    void draw_axes(const PlotFrame& frame, const std::vector<explain::Tick>& vertical);
    double text_width(std::string_view text) const;
    bool is_free(const Area& area) const;

    const TextPainter& painter_;
    Area area_;
    explain::Scale x_, y_;
    std::vector<Area> taken_;
    std::string out_;
};

/// The class that gives a method its colour.
std::string color_class(std::size_t method);

}  // namespace gass::page
