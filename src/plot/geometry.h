#pragma once

#include <cmath>
#include <optional>
#include <vector>

namespace gass::plot {

struct Point {
    double x = 0;
    double y = 0;

    bool operator==(const Point&) const = default;
};

struct Area {
    double left = 0;
    double top = 0;
    double width = 0;
    double height = 0;

    double right() const { return left + width; }
    double bottom() const { return top + height; }
    Point center() const { return {left + width / 2, top + height / 2}; }
    bool overlaps(const Area& other) const {
        return left < other.right() && other.left < right() && top < other.bottom() && other.top < bottom();
    }
    bool contains(const Area& other) const {
        return other.left >= left && other.right() <= right() && other.top >= top &&
               other.bottom() <= bottom();
    }
};

inline double distance(Point a, Point b) {
    return std::hypot(a.x - b.x, a.y - b.y);
}

/// Centres for boxes of one size, as near to those wanted as a simple rule gets, so that no two overlap and
/// all lie within `bounds`. The same input gives the same places. Nothing if there is no room for them.
std::optional<std::vector<Point>> push_apart(const std::vector<Point>& wanted, double width, double height,
                                             const Area& bounds);

}  // namespace gass::plot
