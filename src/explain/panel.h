#pragma once

#include "explain/group_story.h"
#include "explain/marks.h"
#include "plot/axis.h"
#include "plot/labels.h"

#include <functional>
#include <string>
#include <vector>

namespace gass::explain {

using plot::Area;
using plot::Labels;
using plot::Scale;

inline constexpr unsigned kLabelSize = 10;
/// More find no place in a panel.
inline constexpr std::size_t kMaxLabels = 100;

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

/// Writes a label beside the mark of that radius where it hides nothing; otherwise it is left out.
void draw_label(Scene& scene, const TextPainter& painter, Labels& labels, Point point, double radius,
                const std::string& text);

/// Lines of the caption under a panel of that width.
std::vector<std::string> caption_lines(const Panel& panel, const TextPainter& painter, double width);

/// What a panel is high with so many lines under it.
double panel_height(double plot_height, std::size_t lines);

/// Draws title, legend, axes, content and caption.
void draw_panel(Scene& scene, const TextPainter& painter, const Panel& panel, Point corner, double width,
                double plot_height);

}  // namespace gass::explain
