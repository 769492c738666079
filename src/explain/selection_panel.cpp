#include "explain/panels.h"

#include <fmt/format.h>

#include <utility>

namespace gass::explain {
namespace {


Mark mark_of(Fate fate) {
    switch (fate) {
        case Fate::kept:
            return Mark::kept;
        case Fate::less_matching:
            return Mark::less_matching;
        case Fate::less_volume:
            return Mark::less_volume;
        case Fate::other:
            break;
    }
    return Mark::other;
}

void draw_candidates(const Selection& selection, Scene& scene, const TextPainter& painter,
                     const Frame& frame) {
    Labels labels(frame.plot, {.gap = 2, .at_corners = true});
    DrawnMarks drawn;
    // The kept ones come last, so that none is hidden.
    for (const bool kept : {false, true}) {
        for (const Candidate& candidate : selection.candidates) {
            if (!candidate.place || (candidate.fate == Fate::kept) != kept) continue;
            const Point at = frame.at(*candidate.place);
            if (!drawn.adds(static_cast<int>(candidate.fate), at)) continue;
            draw_mark(scene, mark_of(candidate.fate), at);
            labels.keep_off(at, kMarkRadius);
        }
    }
    std::size_t put = 0;
    for (const Candidate& candidate : selection.candidates) {
        if (!candidate.place || candidate.fate != Fate::kept || put++ >= kMaxLabels) continue;
        draw_label(scene, painter, labels, frame.at(*candidate.place), kMarkRadius,
                   plot::seed_label(candidate.seed));
    }
}

}  // namespace

Panel selection_panel(const Selection& selection) {
    Panel panel;
    const std::size_t kept = selection.count(Fate::kept);
    panel.title =
        fmt::format("Selection at step {}: {} of {} kept", selection.step, kept, selection.candidates.size());
    for (const auto& [fate, text] :
         {std::pair(Fate::kept, "kept, with its seed"),
          std::pair(Fate::less_matching, "matches the prompt less"),
          std::pair(Fate::less_volume, "adds less volume"), std::pair(Fate::other, "dropped")}) {
        if (selection.count(fate) > 0) panel.legend.push_back({mark_of(fate), text});
    }
    panel.across_title = "↑ across: projection on the axis they differ along most";
    for (const Candidate& candidate : selection.candidates) {
        if (candidate.place) panel.covered.push_back(*candidate.place);
    }
    panel.draw = [&selection](Scene& scene, const TextPainter& painter, const Frame& frame) {
        draw_candidates(selection, scene, painter, frame);
    };
    return panel;
}

}  // namespace gass::explain
