#pragma once

#include "core/json.h"

#include <gass/engine.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gass {

/// What an effort of the dial did on average, as the guide sees it.
struct EffortMeasured {
    double effort = 0.0;
    double vendi = 0.0;
    double clip_score = 0.0;
};

/// The dial's (strength, effort) points from measurements in order of effort, plain guidance (0) first:
/// strength 1 where the CLIPScore has fallen by `fall`, or at the last effort if it never does, and the other
/// strengths so that Vendi grows evenly. Throws failure if it does not grow.
std::vector<std::pair<double, double>> dial_points(const std::vector<EffortMeasured>& measured, double fall);

struct CalibrationPlan {
    std::vector<std::string> prompts;
    std::int64_t repeats = 1;  ///< sets of each prompt, each with seeds of its own
    double fall = 0.0;
};

/// A model's dial, and what it was worked out from.
struct Calibration {
    std::vector<std::pair<double, double>> points;  ///< (strength, effort)
    std::vector<EffortMeasured> measured;
    double fall = 0.0;
    std::size_t prompts = 0;
    std::int64_t repeats = 1;
    std::int64_t images = 1;  ///< in a set
    std::string guide;
};

/// Measures a model's dial on sets of `request`, from its seed on.
Calibration calibrate(const Engine& engine, const Request& request, const CalibrationPlan& plan,
                      const Events& events);

/// What belongs under "dial" in the model's gass.json.
Json to_json(const Calibration& calibration);

}  // namespace gass
