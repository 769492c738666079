#pragma once

#include "diffusion/method.h"

#include <cstdint>
#include <optional>

namespace gass {

/// What is known of a method with its parameters before it is made: what it needs, what it takes, and what
/// it cannot be combined with. Its parameters say so (`traits()`); those that do not have the defaults.
struct MethodTraits {
    bool looks = false;           ///< at images, through a guide
    std::int64_t candidates = 1;  ///< seeds for each image; it chooses among them if there are more than one
    std::optional<Injection> injection = {};  ///< how it steers, as the method itself says
    bool sets_guidance = false;               ///< the weight that methods behind it work on
    double cfg_scale = 0.0;                   ///< which one; 0: the request's own
    bool has_dial = false;                    ///< one strength, and the weights of spread along and across
    bool takes_axes = false;                  ///< that the user names
    bool takes_shield = false;                ///< pictures to keep away from
    bool keeps_away = false;                  ///< from them, with the parameters it has
    bool weakens = false;                     ///< the prompt's condition, towards the empty prompt's
    bool pairs_images = false;                ///< every second image is made from the one before it
};

}  // namespace gass
