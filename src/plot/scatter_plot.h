#pragma once

#include "plot/axis.h"
#include "plot/labels.h"
#include "sheet/text_painter.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gass::plot {

struct PlotFrame {
    std::string description;  ///< for those who cannot see it
    std::string x_title;
    std::string y_title;
    Range x;
    Range y;
    double width = 0;  ///< of everything, in units about as large as a pixel
    double height = 0;
};

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
    void text(Point baseline, std::string_view text, std::string_view classes);

    /// Labels keep off a mark of this radius from now on.
    void keep_off(Point center, double radius) { labels_.keep_off(center, radius); }
    /// Beside the mark at that point where it hides nothing; left out where there is no such place.
    void label(Point point, double radius, std::string_view text, std::string_view classes);

    std::string svg() const { return out_ + "</svg>"; }

  private:
    void draw_axes(const PlotFrame& frame);

    const TextPainter& painter_;
    Area area_;
    Scale x_, y_;
    Labels labels_;
    std::string out_;
};

}  // namespace gass::plot
