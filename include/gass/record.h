#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// What gass writes down about a set of images: what decided its bytes, how far it spreads and what its method
// did. group.json and the metadata of a PNG are these in JSON.
namespace gass {

/// Numbers of a report, none where one is not finite.
using Numbers = std::vector<std::optional<double>>;

/// The spread that a set was to have, and the one that it got.
struct TargetReached {
    std::string metric;  ///< "spp", "vendi" or "pairwise"
    double wanted = 0.0;
    double reached = 0.0;
    double plain = 0.0;     ///< what plain guidance has with the same seeds
    double strength = 0.0;  ///< of the method
    std::size_t sets = 0;   ///< that were made to find it
    bool met = false;       ///< reached is as near to wanted as the search goes

    bool operator==(const TargetReached&) const = default;
};

/// How far finished images lie apart on the unit sphere of a guide's embeddings.
struct Spread {
    std::optional<double> vendi;
    std::optional<double> pairwise;    ///< the mean distance between two images
    std::optional<double> spp;         ///< the sum of the next two
    std::optional<double> d_dep;       ///< along the prompt
    std::optional<double> d_ind;       ///< across it
    std::optional<double> clip_score;  ///< the mean cosine to the prompt
    Numbers along;                     ///< of each image: its cosine to the prompt
    Numbers across;                    ///< its projection on the axis that the set differs along most
    std::optional<TargetReached> target;

    bool operator==(const Spread&) const = default;
};

/// What became of a candidate.
enum class CandidateFate {
    kept,
    kept_not_seen,  ///< the guide did not see it, and there were not enough that it saw
    less_matching,  ///< dropped: others match the prompt better
    less_volume,    ///< dropped: others add more to the volume that the set spans
    not_seen,       ///< dropped: its embedding is not finite
    other,          ///< dropped: why is told in words
};

struct Candidate {
    std::uint64_t seed = 0;
    std::optional<double> along;  ///< as a spread's
    std::optional<double> across;
    CandidateFate fate = CandidateFate::kept;
    std::string reason = {};  ///< of a file that was not written by these fates, where it is none of them

    bool operator==(const Candidate&) const = default;
};

/// A set is chosen among more candidates.
struct Selection {
    std::size_t step = 0;        ///< of the schedule, from 0 on; here and below
    std::optional<double> time;  ///< 1 is noise, 0 the image
    std::vector<Candidate> candidates;
    std::optional<double> seconds;

    bool operator==(const Selection&) const = default;
};

/// An image that stayed where it was.
struct Unmoved {
    std::size_t image = 0;
    std::string reason;

    bool operator==(const Unmoved&) const = default;
};

/// Images are pushed along the principal axes of their set. Each list has a row for each image; those of
/// `before` and `target` have a number for each axis: none, where the images are the same.
struct Push {
    std::size_t step = 0;
    std::optional<double> time;
    std::string skipped = {};  ///< why nothing was done; there is no more to tell then
    Numbers energies = {};     ///< of the axes, largest first
    Numbers along = {};        ///< cosines to the prompt, before
    Numbers target_along = {};
    std::vector<Numbers> before = {};
    std::vector<Numbers> target = {};
    Numbers latent_moves = {};  ///< as a share of the latents' lengths
    std::vector<Unmoved> unmoved = {};
    std::optional<double> seconds = {};

    bool operator==(const Push&) const = default;
};

/// The paper's method: images are shifted at random on the sphere, and the shifts carried back to the
/// latents.
struct Expansion {
    /// Of each image, on one axis.
    struct Projections {
        Numbers before;
        Numbers target;
        Numbers after;

        bool operator==(const Projections&) const = default;
    };
    struct Shifts {
        Projections dependent;    ///< along the prompt
        Projections independent;  ///< across it
        Numbers loss_start;
        Numbers loss_end;
        std::size_t iterations = 0;  ///< of the optimiser

        bool operator==(const Shifts&) const = default;
    };

    std::size_t step = 0;
    std::optional<Shifts> shifts = {};  ///< none if no image could be seen, or none was to be shifted
    std::optional<std::vector<Unmoved>> unmoved = {};  ///< none if none was to be shifted
    Numbers latent_moves = {};
    std::optional<double> seconds = {};

    bool operator==(const Expansion&) const = default;
};

/// Images are driven apart by a kernel or a likelihood.
struct Repulsion {
    std::size_t step = 0;
    std::optional<double> time;
    std::optional<double> likelihood = {};  ///< of the set before, if it is what is raised
    std::string skipped = {};               ///< why nothing was done; there are no moves then
    Numbers latent_moves = {};

    bool operator==(const Repulsion&) const = default;
};

/// Images are moved out of balls around each other and around the pictures of a shield.
struct Repellency {
    std::size_t step = 0;
    std::optional<double> time;
    std::optional<double> radius;
    std::optional<double> active;  ///< the share of the images that had to move
    Numbers latent_moves;

    bool operator==(const Repellency&) const = default;
};

/// What a method did at one step.
using MethodStep = std::variant<Selection, Push, Expansion, Repulsion, Repellency>;

/// Starts each image a little (or all the way) towards another seed's noise.
struct Variation {
    std::uint64_t seed = 0;  ///< of the first image; the others count up from it
    double strength = 0.0;   ///< 0: the image's own noise, 1: the other seed's

    bool operator==(const Variation&) const = default;
};

/// A set that starts from a picture, of which some is made anew.
struct StartImage {
    std::string file;
    double strength = 0.5;  ///< how much is made anew: near 0 hardly anything, 1 all of it
    std::string hash = {};  ///< of the file's bytes

    bool operator==(const StartImage&) const = default;
};

/// The settings that decide a set's bytes, each named as in config files. One may be missing: a set without a
/// guide has none, and an earlier version may not have known it.
struct RecordedSettings {
    std::optional<std::string> model;
    std::optional<std::string> variant;
    std::optional<std::string> guide;
    std::optional<std::string> vary;
    std::optional<std::string> negative_prompt;
    std::optional<std::int64_t> images;
    std::optional<std::int64_t> steps;
    std::optional<double> cfg_scale;
    std::optional<std::int64_t> width;
    std::optional<std::int64_t> height;
    std::optional<std::string> method;  ///< with every parameter
    std::optional<std::string> sampling_method;
    std::optional<std::string> scheduler;
    std::optional<std::int64_t> clip_skip;
    std::optional<std::int64_t> max_sequence_length;
    std::optional<std::string> dtype;
    std::optional<std::string> device;
    std::optional<std::int64_t> threads;
    std::optional<std::int64_t> max_batch;
    std::optional<bool> offload_to_cpu;
    std::optional<bool> vae_tiling;
    std::optional<bool> vae_slicing;
    std::optional<bool> no_t5;
    std::optional<std::string> format;    ///< of the pictures; none for PNG
    std::optional<std::int64_t> quality;  ///< where the format has it

    bool operator==(const RecordedSettings&) const = default;
};

/// Everything that is needed to make a set again, as it stands in group.json and in each PNG. With a method
/// that steers the images together one seed cannot reproduce one image, so the record is always the set's.
struct Record {
    std::string version;      ///< of gass
    std::string fingerprint;  ///< of the model
    std::string machine;      ///< LibTorch and the instructions it uses; compared, not needed to run again
    std::string prompt;
    std::vector<std::uint64_t> seeds;  ///< as the set started
    std::optional<Variation> variation;
    std::optional<StartImage> start_image = {};
    std::vector<std::string> shield;  ///< pictures that the set kept away from
    RecordedSettings settings = {};

    bool operator==(const Record&) const = default;
};

/// Seeds that a set starts with at most, images and candidates.
inline constexpr std::size_t kMaxSeeds = 65536;
/// Pictures that a set can keep away from: all of them are compared with at every step.
inline constexpr std::size_t kMaxShield = 1024;
/// PyTorch's generators look at 32 bits of a seed.
inline constexpr std::uint64_t kMaxSeed = 0xFFFF'FFFFU;

}  // namespace gass
