#pragma once

#include <cmath>

namespace gass::explain {

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

}  // namespace gass::explain
