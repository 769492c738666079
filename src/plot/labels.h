#pragma once

#include "plot/geometry.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gass::plot {

/// Finds room for short labels beside points, where they hide nothing.
class Labels {
  public:
    struct Places {
        double gap = 2;           ///< between a mark and its label
        bool at_corners = false;  ///< also at a mark's four corners, where its four sides are taken
    };

    Labels(const Area& bounds, Places places) : bounds_(bounds), places_(places) {}

    /// Labels keep off this area from now on.
    void keep_off(const Area& area) { taken_.push_back(area); }
    void keep_off(Point center, double radius) {
        keep_off({center.x - radius, center.y - radius, 2 * radius, 2 * radius});
    }
    void keep_off_line(Point from, Point to);

    /// Takes the first free place beside a mark; nothing if there is none. `radius` is the mark's.
    std::optional<Area> take(Point point, double radius, double width, double height);

  private:
    bool is_free(const Area& area) const;

    Area bounds_;
    Places places_;
    std::vector<Area> taken_;
};

/// A seed with no more than `max_characters`: of a long one the last digits, which differ most.
std::string seed_label(std::uint64_t seed, std::size_t max_characters = 10);

}  // namespace gass::plot
