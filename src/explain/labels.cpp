#include "explain/labels.h"

#include "explain/colors.h"

#include <algorithm>
#include <cmath>

namespace gass::explain {

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

void Labels::put(Point point, double radius, const std::string& text) {
    const auto width = static_cast<double>(painter_.width(text, kSeedSize));
    const auto height = static_cast<double>(kSeedSize);
    const double near = radius + 2;
    const double slanted = radius * 0.7 + 1;
    for (const Point corner :
         {Point{point.x + near, point.y - height / 2}, Point{point.x - near - width, point.y - height / 2},
          Point{point.x - width / 2, point.y - near - height}, Point{point.x - width / 2, point.y + near},
          Point{point.x + slanted, point.y - slanted - height}, Point{point.x + slanted, point.y + slanted},
          Point{point.x - slanted - width, point.y - slanted - height},
          Point{point.x - slanted - width, point.y + slanted}}) {
        const Area area{corner.x, corner.y, width, height};
        if (!is_free(area)) continue;
        keep_off(area);
        // Digits are three quarters of their size high.
        scene_.add(Words{
            {corner.x, corner.y + height / 2 + kSeedSize * 0.37}, text, kSeedSize, kLabel, Anchor::start});
        return;
    }
}

std::string seed_label(std::uint64_t seed, std::size_t most) {
    std::string digits = std::to_string(seed);
    if (digits.size() > most)
        digits = "…" + digits.substr(digits.size() - std::max<std::size_t>(most, 2) + 1);
    return digits;
}

}  // namespace gass::explain
