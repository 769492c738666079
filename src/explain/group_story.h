#pragma once

#include "core/json.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

struct Picture {
    std::string file;  ///< a name beside group.json
    std::uint64_t seed = 0;
};

/// The spread of the finished images.
struct Spread {
    Number vendi, pairwise, spp, d_dep, d_ind, clip_score;
    std::vector<std::optional<Place>> places;  ///< of each picture
};

enum class Fate { kept, less_matching, less_volume, other };

struct Candidate {
    std::uint64_t seed = 0;
    std::optional<Place> place;
    Fate fate = Fate::kept;
    std::string reason;  ///< why it was dropped, in the method's words
};

/// One choice of the group's images among more candidates.
struct Selection {
    std::uint64_t step = 0;
    Number time, seconds;
    std::vector<Candidate> candidates;

    std::size_t count(Fate fate) const;
};

struct Move {
    std::optional<Place> before;
    std::optional<Place> target;
    std::optional<Place> after;  ///< where it got to, if the method looked
};

struct Unmoved {
    std::size_t image = 0;
    std::string reason;
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

/// What group.json tells of how a group came about.
struct GroupStory {
    std::string prompt;
    std::string model;
    std::string method;  ///< with every parameter: "gass:strength=0.5,…"
    std::vector<Picture> pictures;
    std::optional<Spread> spread;
    std::vector<Selection> selections;
    std::vector<MoveStep> move_steps;

    bool tells_anything() const { return spread || !selections.empty() || !move_steps.empty(); }
    /// Of an image of the finished group, if the file lists it.
    std::optional<std::uint64_t> seed_of(std::size_t image) const;
};

/// Reads what a method reported. Parts may be missing; what is there must have the right types and lengths,
/// or model_invalid is thrown with the place in the file. Steps of a kind that is not known are left out.
GroupStory read_story(const Json& group, std::string_view where);

/// "gass, strength 0.5" from the long form; without a strength the first two parameters stand for it.
std::string short_method(std::string_view method);
/// The last part of a model's name or path.
std::string short_model(std::string_view model);

}  // namespace gass::explain
