#pragma once

#include "core/json.h"
#include "guidance/levels.h"
#include "guidance/parameters.h"

#include <string_view>
#include <utility>
#include <vector>

namespace gass {

inline constexpr double kDefaultStrength = 0.5;
/// Efforts beyond are no longer images of the prompt.
inline constexpr double kMaxEffort = 1.0;

/// From one strength, 0 … 1, to the knobs of `gass`. A strength stands for an effort, which for a calibrated
/// model was measured so that spread grows evenly (docs/gass.md); the effort stands for the knobs.
class Dial {
  public:
    /// Not calibrated: careful, as nobody measured how far the model can go.
    explicit Dial(Family family) : Dial(family, {{0.0, 0.0}, {1.0, 0.5}}) {}
    /// For measuring: the effort is the strength.
    static Dial of_efforts(Family family) { return Dial(family, {{0.0, 0.0}, {1.0, kMaxEffort}}); }
    /// (strength, effort) from (0, 0) to strength 1, both rising.
    Dial(Family family, std::vector<std::pair<double, double>> points);
    /// Reads {"points": [[strength, effort], …], …}; what else stands there tells where they come from.
    static Dial from_json(Family family, const Json& json, std::string_view where);

    double effort(double strength) const;
    /// The spec with the strength's knobs where it does not set them itself; strength 0 sets all to do
    /// nothing. Without a guide nothing is chosen, and the rest does its part.
    MethodSpec apply(const MethodSpec& spec, bool can_look) const;
    /// Whether one of the methods leaves a knob to the dial.
    static bool turns(const MethodSpecs& specs);

  private:
    Family family_;
    std::vector<std::pair<double, double>> points_;
};

}  // namespace gass
