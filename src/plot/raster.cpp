#include "plot/scene.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace gass::plot {
namespace {

constexpr double kScale = kPixelsPerUnit;

Point scaled(Point point) {
    return {point.x * kScale, point.y * kScale};
}

/// Every shape is known by how far a point is from its edge, negative inside: a pixel is covered by as much
/// as its middle lies within half a pixel of it.
class Rasterizer {
  public:
    Rasterizer(Image& image, const TextPainter& painter) : image_(image), painter_(painter) {}

    void operator()(const Disc& disc) const {
        const Point center = scaled(disc.center);
        const double radius = disc.radius * kScale;
        const Area around{center.x - radius, center.y - radius, 2 * radius, 2 * radius};
        paint(disc.paint, around, [&](Point at) { return distance(at, center) - radius; });
    }

    void operator()(const Line& line) const {
        const Point from = scaled(line.from);
        const Point to = scaled(line.to);
        const double half = line.width * kScale / 2;
        const Area around{std::min(from.x, to.x), std::min(from.y, to.y), std::abs(to.x - from.x),
                          std::abs(to.y - from.y)};
        const Point along{to.x - from.x, to.y - from.y};
        const double squared = along.x * along.x + along.y * along.y;
        cover(around, half, line.color, [&](Point at) {
            const double share =
                squared == 0
                    ? 0
                    : std::clamp(((at.x - from.x) * along.x + (at.y - from.y) * along.y) / squared, 0.0, 1.0);
            return distance(at, {from.x + share * along.x, from.y + share * along.y}) - half;
        });
    }

    void operator()(const Shape& shape) const {
        std::vector<Point> corners;
        for (const Point& corner : shape.corners) corners.push_back(scaled(corner));
        double twice_area = 0;
        Area around{corners.front().x, corners.front().y, 0, 0};
        double right = around.left;
        double bottom = around.top;
        for (std::size_t i = 0; i < corners.size(); ++i) {
            const Point a = corners[i];
            const Point b = corners[(i + 1) % corners.size()];
            twice_area += a.x * b.y - b.x * a.y;
            around.left = std::min(around.left, a.x);
            around.top = std::min(around.top, a.y);
            right = std::max(right, a.x);
            bottom = std::max(bottom, a.y);
        }
        around.width = right - around.left;
        around.height = bottom - around.top;
        if (twice_area == 0) return;
        const double turn = twice_area > 0 ? 1 : -1;
        paint(shape.paint, around, [&](Point at) {
            double farthest = -1e300;
            for (std::size_t i = 0; i < corners.size(); ++i) {
                const Point a = corners[i];
                const Point b = corners[(i + 1) % corners.size()];
                const double length = distance(a, b);
                if (length == 0) continue;
                farthest = std::max(
                    farthest, turn * ((b.y - a.y) * (at.x - a.x) - (b.x - a.x) * (at.y - a.y)) / length);
            }
            return farthest;
        });
    }

    void operator()(const TextRun& run) const {
        const unsigned size = run.size * kPixelsPerUnit;
        const Point at = scaled(run.baseline);
        const auto width =
            run.anchor == Anchor::start ? 0.0 : static_cast<double>(painter_.width(run.text, size));
        const double left = at.x - (run.anchor == Anchor::middle ? width / 2 : width);
        painter_.draw(image_, run.text, size, std::llround(left), std::llround(at.y), run.color);
    }

    void operator()(const Thumbnail& picture) const {
        const Point corner = scaled(picture.corner);
        const std::int64_t left = std::llround(corner.x);
        const std::int64_t top = std::llround(corner.y);
        for (std::int64_t y = 0; y < picture.image.height; ++y) {
            for (std::int64_t x = 0; x < picture.image.width; ++x) {
                if (std::uint8_t* to = pixel(left + x, top + y)) {
                    const auto from = static_cast<std::size_t>(y * picture.image.width + x) * 3;
                    std::copy_n(picture.image.rgb.data() + from, 3, to);
                }
            }
        }
    }

  private:
    std::uint8_t* pixel(std::int64_t x, std::int64_t y) const {
        if (x < 0 || y < 0 || x >= image_.width || y >= image_.height) return nullptr;
        return image_.rgb.data() + static_cast<std::size_t>(y * image_.width + x) * 3;
    }

    template <class Distance>
    void paint(const Paint& paint, const Area& around, const Distance& edge) const {
        if (paint.fill) cover(around, 0, *paint.fill, edge);
        if (!paint.stroke) return;
        const double half = paint.width * kScale / 2;
        // The outermost corners of a stroke stand out further than half its width.
        cover(around, 2 * half, *paint.stroke, [&](Point at) { return std::abs(edge(at)) - half; });
    }

    template <class Distance>
    void cover(const Area& around, double margin, Color color, const Distance& edge) const {
        const auto low = [&](double value) {
            return std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(value - margin - 1)));
        };
        const auto high = [&](double value, std::uint32_t limit) {
            return std::min<std::int64_t>(limit, static_cast<std::int64_t>(std::ceil(value + margin + 1)));
        };
        for (std::int64_t y = low(around.top); y < high(around.bottom(), image_.height); ++y) {
            for (std::int64_t x = low(around.left); x < high(around.right(), image_.width); ++x) {
                const Point middle{static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5};
                const double share = std::clamp(0.5 - edge(middle), 0.0, 1.0);
                if (share > 0) mix(pixel(x, y), color, share);
            }
        }
    }

    static void mix(std::uint8_t* below, Color color, double share) {
        const auto mixed = [&](std::uint8_t from, std::uint8_t to) {
            return static_cast<std::uint8_t>(std::lround(from + (to - from) * share));
        };
        below[0] = mixed(below[0], color.red);
        below[1] = mixed(below[1], color.green);
        below[2] = mixed(below[2], color.blue);
    }

    Image& image_;
    const TextPainter& painter_;
};

}  // namespace

Image to_image(const Scene& scene) {
    Image image{static_cast<std::uint32_t>(std::ceil(scene.width * kScale)),
                static_cast<std::uint32_t>(std::ceil(scene.height * kScale)),
                {}};
    image.rgb.assign(std::size_t{image.width} * image.height * 3, 255);
    const TextPainter painter;
    for (const auto& part : scene.parts) std::visit(Rasterizer(image, painter), part);
    return image;
}

}  // namespace gass::plot
