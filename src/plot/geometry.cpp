#include "plot/geometry.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace gass::plot {
namespace {

constexpr int kRounds = 2000;
constexpr int kPushOut = 40;
// Boxes come to lie a little further apart than they must, so that rounding brings no two together again.
constexpr double kSlack = 1e-3;

struct Boxes {
    double width = 0;
    double height = 0;
    Area centers;  // where centres may be

    Point inside(Point point) const {
        return {std::clamp(point.x, centers.left, centers.right()),
                std::clamp(point.y, centers.top, centers.bottom())};
    }
};

/// Moves two boxes apart, along the side they overlap least in or, `crosswise`, along the other; false if
/// they do not overlap.
bool separated(Point& a, Point& b, const Boxes& boxes, bool crosswise) {
    const double dx = b.x - a.x;
    const double dy = b.y - a.y;
    const double too_near_x = boxes.width - std::abs(dx);
    const double too_near_y = boxes.height - std::abs(dy);
    if (too_near_x <= 0 || too_near_y <= 0) return false;
    if ((too_near_x / boxes.width <= too_near_y / boxes.height) != crosswise) {
        const double shift = (too_near_x / 2 + kSlack) * (dx < 0 ? -1 : 1);
        a.x -= shift;
        b.x += shift;
    } else {
        const double shift = (too_near_y / 2 + kSlack) * (dy < 0 ? -1 : 1);
        a.y -= shift;
        b.y += shift;
    }
    a = boxes.inside(a);
    b = boxes.inside(b);
    return true;
}

bool relaxed(std::vector<Point>& points, const Boxes& boxes) {
    for (int round = 0; round < kRounds; ++round) {
        bool moved = false;
        // A full row or column cannot give way to itself: now and then one is pushed out of it.
        const bool crosswise = round % kPushOut == kPushOut - 1;
        for (std::size_t i = 0; i < points.size(); ++i) {
            for (std::size_t j = i + 1; j < points.size(); ++j)
                moved = separated(points[i], points[j], boxes, crosswise) || moved;
        }
        if (!moved) return true;
    }
    return false;
}

/// Where pushing does not come to rest: each goes to the free cell of a grid that is nearest.
std::optional<std::vector<Point>> in_cells(const std::vector<Point>& wanted, const Boxes& boxes) {
    const auto fitting = [](double room, double size) {
        return static_cast<std::size_t>(room / (size + kSlack)) + 1;
    };
    const std::size_t columns = fitting(boxes.centers.width, boxes.width);
    const std::size_t rows = fitting(boxes.centers.height, boxes.height);
    if (columns * rows < wanted.size()) return std::nullopt;
    const auto at = [](double start, double room, std::size_t index, std::size_t count) {
        return count == 1 ? start + room / 2
                          : start + room * static_cast<double>(index) / static_cast<double>(count - 1);
    };
    std::vector<Point> free;
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
            free.push_back({at(boxes.centers.left, boxes.centers.width, column, columns),
                            at(boxes.centers.top, boxes.centers.height, row, rows)});
        }
    }
    std::vector<Point> result;
    for (const Point& point : wanted) {
        const auto nearest = std::min_element(free.begin(), free.end(), [&](Point a, Point b) {
            return distance(a, point) < distance(b, point);
        });
        result.push_back(*nearest);
        free.erase(nearest);
    }
    return result;
}

}  // namespace

std::optional<std::vector<Point>> push_apart(const std::vector<Point>& wanted, double width, double height,
                                             const Area& bounds) {
    if (width > bounds.width || height > bounds.height) return std::nullopt;
    const Boxes boxes{
        width,
        height,
        {bounds.left + width / 2, bounds.top + height / 2, bounds.width - width, bounds.height - height}};
    if (static_cast<double>(wanted.size()) * width * height > bounds.width * bounds.height)
        return std::nullopt;
    std::vector<Point> points;
    for (const Point& point : wanted) points.push_back(boxes.inside(point));
    // The boxes grow while they push, so that a crowd spreads to all sides and not along the walls.
    for (const double share : {0.2, 0.4, 0.6, 0.8})
        relaxed(points, {width * share, height * share, boxes.centers});
    if (relaxed(points, boxes)) return points;
    return in_cells(wanted, boxes);
}

}  // namespace gass::plot
