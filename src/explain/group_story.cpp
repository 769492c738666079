#include "explain/group_story.h"

#include <utility>
#include <variant>

namespace gass::explain {
namespace {

std::optional<Place> place(Number along, Number across) {
    if (!along || !across) return std::nullopt;
    return Place{*along, *across};
}

/// The projection on the strongest axis; a group that does not differ has none.
Number first(const Numbers& row) {
    return row.empty() ? std::nullopt : row.front();
}

MoveStep move_step(Push push) {
    MoveStep step{.kind = MoveStep::Kind::push,
                  .step = push.step,
                  .time = push.time,
                  .seconds = push.seconds,
                  .energies = std::move(push.energies),
                  .moves = {},
                  .latent_moves = std::move(push.latent_moves),
                  .unmoved = std::move(push.unmoved),
                  .skipped = std::move(push.skipped)};
    for (std::size_t i = 0; i < push.along.size(); ++i) {
        step.moves.push_back({.before = place(push.along[i], first(push.before[i])),
                              .target = place(push.target_along[i], first(push.target[i])),
                              .after = {}});
    }
    return step;
}

MoveStep move_step(Expansion expansion) {
    MoveStep step;
    step.kind = MoveStep::Kind::expansion;
    step.step = expansion.step;
    step.seconds = expansion.seconds;
    step.latent_moves = std::move(expansion.latent_moves);
    if (expansion.unmoved) step.unmoved = *std::move(expansion.unmoved);
    if (!expansion.shifts) return step;
    const Expansion::Projections& along = expansion.shifts->dependent;
    const Expansion::Projections& across = expansion.shifts->independent;
    for (std::size_t i = 0; i < along.before.size(); ++i) {
        step.moves.push_back({.before = place(along.before[i], across.before[i]),
                              .target = place(along.target[i], across.target[i]),
                              .after = place(along.after[i], across.after[i])});
    }
    return step;
}

/// Puts a step where it belongs; those of other methods cannot be drawn.
struct Teller {
    GroupStory& story;

    void operator()(Selection& selection) const { story.selections.push_back(std::move(selection)); }
    void operator()(Push& push) const { story.move_steps.push_back(move_step(std::move(push))); }
    void operator()(Expansion& expansion) const {
        // Pictures that were only encoded anew were not to move.
        if (expansion.shifts || expansion.unmoved)
            story.move_steps.push_back(move_step(std::move(expansion)));
    }
    void operator()(const Repulsion&) const {}
    void operator()(const Repellency&) const {}
};

}  // namespace

std::optional<Place> place_of(const Candidate& candidate) {
    return place(candidate.along, candidate.across);
}

std::vector<std::optional<Place>> places_of(const Spread& spread) {
    std::vector<std::optional<Place>> places;
    for (std::size_t i = 0; i < spread.along.size(); ++i)
        places.push_back(place(spread.along[i], spread.across[i]));
    return places;
}

std::size_t MoveStep::images() const {
    if (!moves.empty()) return moves.size();
    return latent_moves.empty() ? unmoved.size() : latent_moves.size();
}

std::optional<std::uint64_t> GroupStory::seed_of(std::size_t image) const {
    if (image >= pictures.size()) return std::nullopt;
    return pictures[image].seed;
}

GroupStory story_of(RecordedGroup group) {
    GroupStory story{.prompt = std::move(group.prompt),
                     .model = std::move(group.model),
                     .method = std::move(group.method),
                     .pictures = std::move(group.pictures),
                     .spread = std::move(group.spread),
                     .selections = {},
                     .move_steps = {}};
    for (MethodStep& step : group.method_steps) std::visit(Teller{story}, step);
    return story;
}

}  // namespace gass::explain
