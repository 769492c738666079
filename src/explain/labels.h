#pragma once

#include "explain/scene.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gass::explain {

inline constexpr unsigned kSeedSize = 10;
/// More find no place in a panel.
inline constexpr std::size_t kMostLabels = 100;

/// Puts short labels beside points, where they hide nothing; a label that has no such place is left out.
class Labels {
  public:
    Labels(Scene& scene, const TextPainter& painter, const Area& bounds)
        : scene_(scene), painter_(painter), bounds_(bounds) {}

    /// Labels keep off this area from now on.
    void keep_off(const Area& area) { taken_.push_back(area); }
    void keep_off(Point center, double radius) {
        keep_off({center.x - radius, center.y - radius, 2 * radius, 2 * radius});
    }
    void keep_off_line(Point from, Point to);

    /// `radius`: of the mark at that point.
    void put(Point point, double radius, const std::string& text);

  private:
    bool is_free(const Area& area) const;

    Scene& scene_;
    const TextPainter& painter_;
    Area bounds_;
    std::vector<Area> taken_;
};

/// A seed with no more than `most` characters: of a long one the last digits, which differ most.
std::string seed_label(std::uint64_t seed, std::size_t most = 10);

}  // namespace gass::explain
