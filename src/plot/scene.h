#pragma once

#include "io/image.h"
#include "plot/geometry.h"
#include "sheet/text_painter.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gass::plot {

/// How an outline or an area is painted; what is not given is not painted.
struct Paint {
    std::optional<Color> fill;
    std::optional<Color> stroke;
    double width = 1;  ///< of the stroke
};

struct Disc {
    Point center;
    double radius = 1;
    Paint paint;
};

struct Line {
    Point from;
    Point to;
    Color color;
    double width = 1;
};

/// A convex shape, its corners in order.
struct Shape {
    std::vector<Point> corners;
    Paint paint;
};

enum class Anchor { start, middle, end };

/// One line of text.
struct TextRun {
    Point baseline;
    std::string text;
    unsigned size = 11;
    Color color;
    Anchor anchor = Anchor::start;
};

/// A picture of twice as many pixels as it is shown with, for screens and prints that have them.
struct Thumbnail {
    Point corner;  ///< left and top
    Image image;
};

/// Pixels of a picture file for each unit of a scene.
inline constexpr unsigned kPixelsPerUnit = 2;

/// What is drawn, from the back to the front. SVG and pixels are made from the same scene.
struct Scene {
    double width = 0;
    double height = 0;
    std::string title;
    std::vector<std::variant<Disc, Line, Shape, TextRun, Thumbnail>> parts;

    template <class Part>
    void add(Part part) {
        parts.emplace_back(std::move(part));
    }
    void add_area(const Area& area, const Paint& paint) {
        add(Shape{{{area.left, area.top},
                   {area.right(), area.top},
                   {area.right(), area.bottom()},
                   {area.left, area.bottom()}},
                  paint});
    }
};

/// How an SVG of ours begins after its first tag, so that a later one may replace it.
inline constexpr std::string_view kSvgMark = "<!-- gass explain -->";

std::string to_svg(const Scene& scene);

/// The scene in pixels, `kPixelsPerUnit` for each unit, with smooth edges.
Image to_image(const Scene& scene);

}  // namespace gass::plot
