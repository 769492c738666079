#pragma once

#include "plot/scatter_plot.h"

#include <cstddef>
#include <string>
#include <vector>

namespace gass::plot {

/// What stands for a method in tables and plots: A to Z, then numbers.
std::string letter_of(std::size_t method);

/// The class that gives a method its colour.
std::string color_class(std::size_t method);

/// A method's place in a plot.
struct LetteredMark {
    std::size_t method = 0;  ///< decides letter and colour
    std::string name;
    Point place;
    std::string tooltip;
    bool has_ring = false;  ///< stands out
};

/// Draws a lettered disc for each method, with its name where there is room. Methods that do the same stand
/// on the same place: their letters step aside.
void draw_lettered_marks(Plot& plot, const std::vector<LetteredMark>& marks);

}  // namespace gass::plot
