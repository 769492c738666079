#pragma once

#include "explain/group_story.h"
#include "explain/marks.h"
#include "explain/scene.h"
#include "explain/ticks.h"

#include <functional>
#include <string>
#include <vector>

namespace gass::explain {

/// Where values come to lie in a drawn plot.
struct Frame {
    Area plot;
    Scale along;
    Scale across;

    Point at(const Place& place) const { return {along(place.along), across(place.across)}; }
};

struct LegendEntry {
    Mark mark = Mark::kept;
    std::string text;
};

/// A scatter plot before it has a place in the figure.
struct Panel {
    std::string title;
    std::vector<LegendEntry> legend;
    std::string across_title;    ///< the axis of the prompt is the same everywhere
    std::string caption;         ///< under the plot; may be empty
    std::vector<Place> covered;  ///< what the axes must cover
    double inset = 18;           ///< how far from the frame the outermost of them stay
    std::function<void(Scene&, const TextPainter&, const Frame&)> draw;
};

/// Lines of the caption under a panel of that width.
std::vector<std::string> caption_lines(const Panel& panel, const TextPainter& painter, double width);

/// What a panel is high with so many lines under it.
double panel_height(double plot_height, std::size_t lines);

/// Draws title, legend, axes, content and caption.
void draw_panel(Scene& scene, const TextPainter& painter, const Panel& panel, Point corner, double width,
                double plot_height);

}  // namespace gass::explain
