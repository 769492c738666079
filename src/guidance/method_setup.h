#pragma once

#include "diffusion/denoiser.h"
#include "guidance/levels.h"
#include "guidance/vision.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gass {

/// A direction that the user named by two texts.
struct NamedAxis {
    std::string from;
    std::string to;
    at::Tensor direction;       ///< [d] on the sphere, across the prompt; undefined if the guide sees none
    Condition half_difference;  ///< half the way from one text's condition to the other's, one row
};

/// What a method is given beside its own parameters.
struct MethodSetup {
    std::int64_t images = 1;   ///< wanted in the end
    bool has_company = false;  ///< pictures of a shield, which even one image can differ from
    std::int64_t chunk = 1;    ///< images that a network takes at a time
    Family family = Family::flow;
    const Vision* vision = nullptr;
    at::Tensor prompt;               ///< e_t, the prompt's unit vector [d]
    std::vector<std::string> texts;  ///< of each start
    std::vector<NamedAxis> axes;
    Condition empty{};  ///< the empty prompt's, one row, for those that weaken; undefined for others
    at::Tensor shield;  ///< clean latents to stay away from, [K, C, h, w]; undefined: none
};

}  // namespace gass
