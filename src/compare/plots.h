#pragma once

#include "compare/comparison.h"
#include "plot/axis.h"
#include "sheet/text_painter.h"

#include <cstddef>
#include <string>

namespace gass::compare {

/// Diversity over alignment, one lettered point for each method: their means, with a small point for each
/// prompt where there are several. Empty if no method has both numbers.
std::string tradeoff_plot(const Comparison& comparison, const TextPainter& painter);

/// What the plots of a prompt's groups have in common, so that the eye may compare them.
struct SphereAxes {
    plot::Range along;
    plot::Range across;
};

SphereAxes sphere_axes(const ComparedPrompt& prompt);

/// A group's images on CLIP's sphere; empty if no place is known. `method`: decides the colour.
std::string sphere_plot(const ComparedGroup& group, std::size_t method, const SphereAxes& axes,
                        const TextPainter& painter);

}  // namespace gass::compare
