#pragma once

#include "core/settings.h"
#include "core/text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// Starts each image a little (or all the way) towards another seed's noise.
struct Variation {
    std::uint64_t seed = 0;  ///< of the first image; the others count up from it
    double strength = 0.0;   ///< 0: the image's own noise, 1: the other seed's
};

/// What a user wants: one group of images of one prompt. Values that nobody set are filled in by
/// `Engine::complete` from the model.
struct Request {
    std::string prompt;  ///< with its {choices|alternatives}
    std::string negative_prompt;
    std::int64_t images = 1;
    std::vector<std::uint64_t> seeds;  ///< one for each image, or each candidate if the method selects
    std::optional<Variation> variation;
    std::optional<std::int64_t> steps;
    std::optional<double> cfg_scale;
    std::optional<std::int64_t> width;
    std::optional<std::int64_t> height;
    std::int64_t clip_skip = 0;
    std::int64_t max_sequence_length = 256;
    std::string sampling_method = "default";
    std::string scheduler = "default";
    std::string method = "none";
    std::string vary;    ///< axes that the user names: "at night|at noon; red|blue"
    std::string shield;  ///< image or folder that the set keeps away from
    std::vector<std::string>
        shield_files;            ///< its pictures; `Engine::complete` finds them, once for all groups
    bool measure = false;        ///< the images' spread, even if the method needs no guide
    std::int64_t max_batch = 0;  ///< images per network call; 0: what memory allows
};

/// How the machine is used; the same for every group of a run.
struct EngineOptions {
    std::string model;
    std::string variant;
    std::string guide;  ///< the encoder that methods see through; empty: the one that the model names
    std::string dtype = "auto";
    std::string device = "auto";
    std::int64_t threads = 0;  ///< 0: as many as there are cores
    double max_vram = 0.0;     ///< in GB; 0: all that is free
    bool offload_to_cpu = false;
    bool vae_tiling = false;
    bool vae_slicing = false;
    bool no_t5 = false;
};

/// Seeds that a group starts with at most, images and candidates.
inline constexpr std::size_t kMaxSeeds = 65536;
/// Pictures that a set can keep away from: all of them are compared with at every step.
inline constexpr std::size_t kMaxShield = 1024;
/// PyTorch's generators look at 32 bits of a seed.
inline constexpr std::uint64_t kMaxSeed = 0xFFFF'FFFFU;

/// The first `count` of the seeds or, where there are fewer, as many more that count on from the largest: a
/// method that selects starts with more of them than another.
std::vector<std::uint64_t> seeds_for(std::vector<std::uint64_t> seeds, std::size_t count);

/// A method for variations of one image: gass leaves their starting noise alone, which they share on purpose,
/// and chooses none, unless the method says otherwise itself.
std::string for_variations(const std::string& method);

/// The parts of the settings that belong to a request; prompt, seeds and variation are not settings.
Request request_from(const Settings& settings);
EngineOptions engine_options_from(const Settings& settings);

/// The seeds s, s+1, … of `count` images; throws usage if they leave the range.
std::vector<std::uint64_t> consecutive_seeds(std::uint64_t first, std::size_t count);

}  // namespace gass
