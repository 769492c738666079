#include "plot/labels.h"

#include <algorithm>

namespace gass::plot {

void Labels::keep_off_line(Point from, Point to) {
    // A line is kept off as a chain of small squares.
    constexpr double kPiece = 4;
    const int pieces = std::clamp(static_cast<int>(distance(from, to) / kPiece), 1, 300);
    for (int i = 0; i <= pieces; ++i) {
        const double share = static_cast<double>(i) / pieces;
        keep_off(Point{from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share}, kPiece / 2);
    }
}

bool Labels::is_free(const Area& area) const {
    return bounds_.contains(area) &&
           std::none_of(taken_.begin(), taken_.end(), [&](const Area& one) { return one.overlaps(area); });
}

std::optional<Area> Labels::take(Point point, double radius, double width, double height) {
    const double near = radius + places_.gap;
    std::vector<Point> corners{{point.x + near, point.y - height / 2},
                               {point.x - near - width, point.y - height / 2},
                               {point.x - width / 2, point.y - near - height},
                               {point.x - width / 2, point.y + near}};
    if (places_.at_corners) {
        const double slanted = radius * 0.7 + places_.gap / 2;
        corners.insert(corners.end(), {{point.x + slanted, point.y - slanted - height},
                                       {point.x + slanted, point.y + slanted},
                                       {point.x - slanted - width, point.y - slanted - height},
                                       {point.x - slanted - width, point.y + slanted}});
    }
    for (const Point corner : corners) {
        const Area area{corner.x, corner.y, width, height};
        if (!is_free(area)) continue;
        keep_off(area);
        return area;
    }
    return std::nullopt;
}

std::string seed_label(std::uint64_t seed, std::size_t max_characters) {
    std::string digits = std::to_string(seed);
    if (digits.size() > max_characters)
        digits = "…" + digits.substr(digits.size() - std::max<std::size_t>(max_characters, 2) + 1);
    return digits;
}

}  // namespace gass::plot
