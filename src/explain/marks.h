#pragma once

#include "explain/scene.h"

namespace gass::explain {

/// The symbols of the scatter plots.
enum class Mark { kept, less_matching, less_volume, other, before, target, after, unmoved };

/// Half of what a mark takes of the plot.
inline constexpr double kMarkRadius = 4.5;

void draw_mark(Scene& scene, Mark mark, Point at);

/// From where an image stands to where it is to go; short ones have a smaller head, and
/// those that no one would see are left out.
void draw_arrow(Scene& scene, Point from, Point to);

}  // namespace gass::explain
