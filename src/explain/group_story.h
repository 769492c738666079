#pragma once

#include "record/recorded_group.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gass::explain {

/// A number of a report; none where it was not finite, which JSON writes as null.
using Number = std::optional<double>;

/// Where an image stands on CLIP's sphere: its cosine to the prompt, and its projection on the axis that the
/// group differs along most.
struct Place {
    double along = 0;
    double across = 0;
};

/// None if one of the two is not known.
std::optional<Place> place_of(const Candidate& candidate);
/// Those of each image.
std::vector<std::optional<Place>> places_of(const Spread& spread);

struct Move {
    std::optional<Place> before;
    std::optional<Place> target;
    std::optional<Place> after;  ///< where it got to, if the method looked
};

/// One step in which a method moved the images apart.
struct MoveStep {
    enum class Kind { push, expansion };

    Kind kind = Kind::push;
    std::uint64_t step = 0;
    Number time, seconds;
    std::vector<Number> energies;  ///< of the axes, largest first
    std::vector<Move> moves;       ///< of each image; empty if nothing is known of them
    std::vector<Number> latent_moves;
    std::vector<Unmoved> unmoved;
    std::string skipped;  ///< why nothing was done, if so

    std::size_t images() const;
};

/// How a group came about, as far as it can be drawn.
struct GroupStory {
    std::string prompt;
    std::string model;
    std::string method;  ///< with every parameter: "gass:strength=0.5,…"
    std::vector<RecordedPicture> pictures;
    std::optional<Spread> spread;
    std::vector<Selection> selections;
    std::vector<MoveStep> move_steps;

    bool tells_anything() const { return spread || !selections.empty() || !move_steps.empty(); }
    /// Of an image of the finished group, if the file lists it.
    std::optional<std::uint64_t> seed_of(std::size_t image) const;
};

GroupStory story_of(RecordedGroup group);

}  // namespace gass::explain
