#include "explain/panels.h"
#include "explain/unmoved.h"

#include <fmt/format.h>

#include <algorithm>

namespace gass::explain {
namespace {

// More arrows than these are no picture any more.
constexpr std::size_t kMostArrows = 500;

bool is_shown(const Move& move) {
    return move.before && move.target;
}

bool has_places(const MoveStep& step) {
    return std::any_of(step.moves.begin(), step.moves.end(), is_shown);
}

void cover(std::vector<Place>& covered, const MoveStep& step) {
    for (const Move& move : step.moves) {
        if (!is_shown(move)) continue;
        covered.push_back(*move.before);
        covered.push_back(*move.target);
        if (move.after) covered.push_back(*move.after);
    }
}

void draw_moves(const GroupStory& story, const MoveStep& step, Scene& scene, const TextPainter& painter,
                const Frame& frame) {
    Labels labels(frame.plot, {.gap = 2, .at_corners = true});
    std::vector<bool> stays(step.moves.size(), false);
    for (const Unmoved& one : step.unmoved) {
        if (one.image < stays.size()) stays[one.image] = true;
    }
    for (std::size_t i = 0; i < std::min(step.moves.size(), kMostArrows); ++i) {
        const Move& move = step.moves[i];
        if (!is_shown(move)) continue;
        const Point before = frame.at(*move.before);
        const Point target = frame.at(*move.target);
        draw_arrow(scene, before, target);
        draw_mark(scene, Mark::before, before);
        if (stays[i]) draw_mark(scene, Mark::unmoved, before);
        labels.keep_off(before, stays[i] ? 8 : 3);
        labels.keep_off_line(before, target);
        if (!move.after) continue;
        draw_mark(scene, Mark::after, frame.at(*move.after));
        labels.keep_off(frame.at(*move.after), 3);
    }
    for (std::size_t i = 0; i < std::min(step.moves.size(), kMaxLabels); ++i) {
        const Move& move = step.moves[i];
        if (!is_shown(move)) continue;
        const auto seed = story.seed_of(i);
        draw_label(scene, painter, labels, frame.at(*move.before), stays[i] ? 8 : 4,
                   seed ? plot::seed_label(*seed) : std::to_string(i));
    }
}

std::string caption_of(const GroupStory& story, const MoveStep& step) {
    std::string caption;
    if (step.moves.size() > kMostArrows) caption = fmt::format("The first {} images are shown", kMostArrows);
    for (const UnmovedGroup& group : by_reason(step)) {
        caption += fmt::format("{}Did not move: {}: {}", caption.empty() ? "" : ". ",
                               named_images(story, group.images), group.reason);
    }
    if (step.kind == MoveStep::Kind::push && step.energies.size() > 1) {
        caption +=
            fmt::format("{}Of {} axes the strongest is shown; moves along the others do not show here.",
                        caption.empty() ? "" : ". ", step.energies.size());
    }
    return caption;
}

Panel panel_of(const GroupStory& story, const MoveStep& step, std::string_view rank) {
    Panel panel;
    const bool push = step.kind == MoveStep::Kind::push;
    panel.title = fmt::format("{} at step {}{}", push ? "Push" : "Expansion", step.step, rank);
    panel.legend = {{Mark::before, "an image before"}, {Mark::target, "where it should go"}};
    const auto is_measured = [](const Move& move) { return move.after.has_value(); };
    if (std::any_of(step.moves.begin(), step.moves.end(), is_measured))
        panel.legend.push_back({Mark::after, "where it got to"});
    if (!step.unmoved.empty()) panel.legend.push_back({Mark::unmoved, "did not move"});
    panel.across_title = push ? "↑ across: projection on the axis they differ along most at this step"
                              : "↑ across: projection on the independent axis of this step";
    panel.caption = caption_of(story, step);
    panel.draw = [&story, &step](Scene& scene, const TextPainter& painter, const Frame& frame) {
        draw_moves(story, step, scene, painter, frame);
    };
    return panel;
}

}  // namespace

std::vector<Panel> move_panels(const GroupStory& story) {
    std::vector<const MoveStep*> shown;
    for (const MoveStep& step : story.move_steps) {
        if (has_places(step)) shown.push_back(&step);
    }
    std::vector<Panel> panels;
    if (shown.empty()) return panels;
    const std::size_t count = shown.size();
    panels.push_back(
        panel_of(story, *shown.front(), count == 1 ? "" : fmt::format(", the first of {}", count)));
    if (count > 1) panels.push_back(panel_of(story, *shown.back(), ", the last"));
    // On the same axes, so that the two can be compared.
    std::vector<Place> covered;
    cover(covered, *shown.front());
    if (count > 1) cover(covered, *shown.back());
    for (Panel& panel : panels) panel.covered = covered;
    return panels;
}

}  // namespace gass::explain
