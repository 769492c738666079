#pragma once

#include <gass/export.h>
#include <gass/record.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// A spread that a set should have, as the guide sees it: "spp=0.18", "pairwise=0.4", or "vendi=x1.3", so
/// many times that of plain guidance with the same seeds.
struct Target {
    std::string metric;
    double value = 0.0;
    bool relative = false;

    /// Throws gass::Error for a text that is none.
    GASS_API static Target parse(std::string_view text);
    /// As it can be read again.
    GASS_API std::string text() const;
};

/// One group of images of one prompt, as far as somebody wants it his way. What is left open is the model's
/// own (its gass.json), or else what `gass generate` takes.
struct Request {
    std::string prompt;                               ///< {red|blue} is a choice for each image
    std::optional<std::int64_t> images = {};          ///< 4; as many as `seeds`, if these are listed
    std::optional<std::int64_t> seed = {};            ///< of the first image, 42; others count up; -1: any
    std::vector<std::uint64_t> seeds = {};            ///< the images', or more that a method chooses from
    bool seeds_go_on = false;                         ///< a method that chooses takes more than are listed
    std::optional<std::string> method = {};           ///< "gass", "cads:scale=0.2+gass", …
    std::optional<double> strength = {};              ///< how far gass spreads the set, 0 … 1
    std::optional<double> dep = {};                   ///< weight of spread along the prompt, in meaning
    std::optional<double> ind = {};                   ///< and across it, in surroundings
    std::optional<Target> target = {};                ///< finds the strength, in its place
    std::optional<std::string> vary = {};             ///< axes: "at night|at noon; red|blue"
    std::optional<std::string> shield = {};           ///< image or folder that the set keeps away from
    std::vector<std::string> shield_files = {};       ///< its pictures, where they are known one by one
    std::optional<std::string> negative_prompt = {};  ///< what the images should not show
    std::optional<std::int64_t> steps = {};           ///< of denoising
    std::optional<double> cfg_scale = {};             ///< guidance; 1 is off
    std::optional<std::int64_t> width = {};           ///< in pixels
    std::optional<std::int64_t> height = {};          ///< in pixels
    std::optional<Variation> variation = {};          ///< of the first seed's image, unless seeds are listed
    std::optional<StartImage> start_image = {};       ///< whose variations are made; the hash may be missing
    std::optional<std::string> sampling_method = {};  ///< "ddim", "euler", "dpm++2m", "plms"
    std::optional<std::string> scheduler = {};        ///< "karras"
    std::optional<std::int64_t> clip_skip = {};       ///< last layers of CLIP's text encoder to leave out
    std::optional<std::int64_t> max_sequence_length = {};  ///< tokens that T5 reads at most
    std::optional<std::int64_t> max_batch = {};            ///< images per network call; 0: what memory allows
    std::optional<bool> measure = {};                      ///< the images' spread; open: if a guide is there
};

/// The same request under another method. What that one does not take, axes or a shield, is left out, and one
/// that chooses goes on from the seeds that are listed.
GASS_API Request with_method(Request request, std::string_view method);

}  // namespace gass
