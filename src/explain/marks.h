#pragma once

#include "plot/scene.h"

#include <cmath>
#include <set>
#include <tuple>

namespace gass::explain {

using plot::Point;
using plot::Scene;

// The same greys as contact sheets; hues that people who see few colours tell apart, with shapes beside them.
inline constexpr Color kBackground{250, 250, 249};
inline constexpr Color kPlot{255, 255, 255};
inline constexpr Color kGrid{238, 238, 236};
inline constexpr Color kFrame{200, 200, 198};
inline constexpr Color kEmpty{222, 222, 220};
inline constexpr Color kInk{28, 28, 30};
inline constexpr Color kLabel{72, 72, 76};
inline constexpr Color kMuted{112, 112, 118};
inline constexpr Color kBlue{31, 96, 170};
inline constexpr Color kOrange{204, 96, 24};
inline constexpr Color kSlate{128, 134, 150};
inline constexpr Color kGreen{26, 138, 90};
inline constexpr Color kRed{198, 40, 56};

/// The symbols of the scatter plots.
enum class Mark { kept, less_matching, less_volume, other, before, target, after, unmoved };

/// Half of what a mark takes of the plot.
inline constexpr double kMarkRadius = 4.5;

void draw_mark(Scene& scene, Mark mark, Point at);

/// From where an image stands to where it is to go; short ones have a smaller head, and
/// those that no one would see are left out.
void draw_arrow(Scene& scene, Point from, Point to);

/// Tells marks that would lie on one of the same kind: thousands of them make no larger file than their
/// picture needs.
class DrawnMarks {
  public:
    /// Whether there is none of that kind yet; there is one from now on.
    bool adds(int kind, Point at) {
        constexpr double kCell = 1.5;
        return cells_.emplace(kind, std::llround(at.x / kCell), std::llround(at.y / kCell)).second;
    }

  private:
    std::set<std::tuple<int, long long, long long>> cells_;
};

}  // namespace gass::explain
