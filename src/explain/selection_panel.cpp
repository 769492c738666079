#include "explain/panels.h"
#include "record/candidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace gass::explain {
namespace {

Mark mark_of(CandidateFate fate) {
    switch (fate) {
        case CandidateFate::kept:
        case CandidateFate::kept_not_seen:
            return Mark::kept;
        case CandidateFate::less_matching:
            return Mark::less_matching;
        case CandidateFate::less_volume:
            return Mark::less_volume;
        case CandidateFate::not_seen:
        case CandidateFate::other:
            break;
    }
    return Mark::other;
}

struct PlacedCandidate {
    std::uint64_t seed = 0;
    Mark mark = Mark::kept;
    Place place;
};

/// Those that have one.
std::vector<PlacedCandidate> placed(const Selection& selection) {
    std::vector<PlacedCandidate> result;
    for (const Candidate& candidate : selection.candidates) {
        if (const auto place = place_of(candidate))
            result.push_back({candidate.seed, mark_of(candidate.fate), *place});
    }
    return result;
}

void draw_candidates(const Selection& selection, Scene& scene, const TextPainter& painter,
                     const Frame& frame) {
    const std::vector<PlacedCandidate> candidates = placed(selection);
    Labels labels(frame.plot, {.gap = 2, .at_corners = true});
    DrawnMarks drawn;
    // The kept ones come last, so that none is hidden.
    for (const bool kept : {false, true}) {
        for (const PlacedCandidate& candidate : candidates) {
            if ((candidate.mark == Mark::kept) != kept) continue;
            const Point at = frame.at(candidate.place);
            if (!drawn.adds(static_cast<int>(candidate.mark), at)) continue;
            draw_mark(scene, candidate.mark, at);
            labels.keep_off(at, kMarkRadius);
        }
    }
    std::size_t put = 0;
    for (const PlacedCandidate& candidate : candidates) {
        if (candidate.mark != Mark::kept || put++ >= kMaxLabels) continue;
        draw_label(scene, painter, labels, frame.at(candidate.place), kMarkRadius,
                   plot::seed_label(candidate.seed));
    }
}

}  // namespace

Panel selection_panel(const Selection& selection) {
    Panel panel;
    panel.title = fmt::format("Selection at step {}: {} of {} kept", selection.step, count_kept(selection),
                              selection.candidates.size());
    for (const auto& [mark, text] :
         {std::pair(Mark::kept, "kept, with its seed"),
          std::pair(Mark::less_matching, "matches the prompt less"),
          std::pair(Mark::less_volume, "adds less volume"), std::pair(Mark::other, "dropped")}) {
        const auto has_mark = [&](const Candidate& one) { return mark_of(one.fate) == mark; };
        if (std::ranges::any_of(selection.candidates, has_mark)) panel.legend.push_back({mark, text});
    }
    panel.across_title = "↑ across: projection on the axis they differ along most";
    for (const PlacedCandidate& candidate : placed(selection)) panel.covered.push_back(candidate.place);
    panel.draw = [&selection](Scene& scene, const TextPainter& painter, const Frame& frame) {
        draw_candidates(selection, scene, painter, frame);
    };
    return panel;
}

}  // namespace gass::explain
