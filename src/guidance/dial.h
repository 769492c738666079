#pragma once

#include "catalog/dial_points.h"
#include "guidance/levels.h"
#include "guidance/text/parameters.h"

#include <string>
#include <string_view>

namespace gass {

inline constexpr double kDefaultStrength = 0.5;
/// From one strength, 0 … 1, to the knobs of `gass`. A strength stands for an effort, which for a calibrated
/// model was measured so that spread grows evenly (docs/gass.md); the effort stands for the knobs.
class Dial {
  public:
    /// Not calibrated: careful, as nobody measured how far the model can go.
    Dial(Family family, bool is_guided) : Dial(family, is_guided, {{0.0, 0.0}, {1.0, 0.5}}) {}
    /// For measuring: the effort is the strength.
    static Dial of_efforts(Family family, bool is_guided) {
        return {family, is_guided, {{0.0, 0.0}, {1.0, kMaxEffort}}};
    }
    Dial(Family family, bool is_guided, DialPoints points);

    double effort(double strength) const;
    /// The spec with the strength's knobs where it does not set them itself; strength 0 sets all to do
    /// nothing. Without a guide nothing is chosen, and the rest does its part.
    MethodSpec apply(const MethodSpec& spec, bool can_look) const;
    /// Whether the spec leaves a knob to the dial.
    static bool turns(const MethodSpec& spec);

  private:
    Family family_;
    bool is_guided_;  ///< by classifier-free guidance; distilled models are not
    DialPoints points_;
};

/// A text with every parameter, as records have it, without the knobs that its strength stands for.
std::string without_dialled(std::string_view methods);

}  // namespace gass
