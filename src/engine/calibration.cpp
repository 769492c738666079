#include "engine/calibration.h"

#include "core/fail.h"
#include "engine/loaded_model.h"
#include "engine/session.h"
#include "guidance/registry.h"

#include <gass/version.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gass {
namespace {

constexpr std::array kEfforts{0.0, 0.15, 0.3, 0.45, 0.6, 0.8, 1.0};

/// Where a rising y reaches a value, by straight lines between the points.
double where(const std::vector<std::pair<double, double>>& points, double y) {
    for (std::size_t i = 1; i < points.size(); ++i) {
        const auto [x0, y0] = points[i - 1];
        const auto [x1, y1] = points[i];
        if (y <= y1 && y1 > y0) return x0 + (x1 - x0) * std::max(0.0, (y - y0) / (y1 - y0));
    }
    return points.back().first;
}

double rounded(double value, double units) {
    return std::round(value * units) / units;
}

EffortMeasured measure(const Engine& engine, Request request, const CalibrationPlan& plan, double effort,
                       const Events& events) {
    const LoadedModel& model = engine.loaded();
    const bool is_guided = request.cfg_scale.value_or(model.backbone().default_cfg_scale()) > 1;
    request.method = Methods(fmt::format("gass:strength={}", effort))
                         .completed(Dial::of_efforts(model.family(), is_guided), /*can_look=*/true)
                         .text();
    request.measure = true;
    const std::int64_t first = request.seed.value();
    // The same at every effort, and far enough apart that sets of one prompt share no candidate.
    const std::int64_t apart = std::max<std::int64_t>(1000, 64 * request.images.value());
    EffortMeasured result{.effort = effort};
    double sets = 0;
    for (const std::string& prompt : plan.prompts) {
        for (std::int64_t repeat = 0; repeat < plan.repeats; ++repeat) {
            request.prompt = prompt;
            request.seed = first + apart * repeat;
            const Group group = engine.generate(engine.plan(request), events);
            const Spread& spread = measured_spread(group, "calibrate");
            result.vendi += *spread.vendi;
            result.clip_score += *spread.clip_score;
            ++sets;
        }
    }
    result.vendi /= sets;
    result.clip_score /= sets;
    return result;
}

}  // namespace

std::vector<std::pair<double, double>> dial_points(const std::vector<EffortMeasured>& measured, double fall) {
    std::vector<std::pair<double, double>> falls;  // over effort; made to rise, as noise may not
    std::vector<std::pair<double, double>> vendis;
    for (const EffortMeasured& at : measured) {
        const double fallen = measured.front().clip_score - at.clip_score;
        falls.emplace_back(at.effort, falls.empty() ? fallen : std::max(fallen, falls.back().second));
        vendis.emplace_back(at.effort, vendis.empty() ? at.vendi : std::max(at.vendi, vendis.back().second));
    }
    const double most = falls.back().second > fall ? where(falls, fall) : measured.back().effort;
    double vendi_at_most = vendis.front().second;
    for (std::size_t i = 1; i < vendis.size(); ++i) {
        const auto [x0, y0] = vendis[i - 1];
        const auto [x1, y1] = vendis[i];
        if (x0 < most) vendi_at_most = y0 + (y1 - y0) * std::min(1.0, (most - x0) / (x1 - x0));
    }
    const double plain = vendis.front().second;
    if (!(vendi_at_most > plain * 1.01))
        fail(ErrorCode::failure, "calibrate", "spread does not grow with effort before the prompt is lost");
    std::vector<std::pair<double, double>> points{{0.0, 0.0}};
    for (const double strength : {0.25, 0.5, 0.75, 1.0}) {
        const double effort = rounded(where(vendis, plain + strength * (vendi_at_most - plain)), 1e4);
        points.emplace_back(strength, std::max(effort, points.back().second + 1e-4));
    }
    return points;
}

Calibration calibrate(const Engine& engine, const Request& request, const CalibrationPlan& plan,
                      const Events& events) {
    std::vector<EffortMeasured> measured;
    for (const double effort : kEfforts) measured.push_back(measure(engine, request, plan, effort, events));
    Calibration calibration{.points = dial_points(measured, plan.fall),
                            .measured = std::move(measured),
                            .fall = plan.fall,
                            .prompts = plan.prompts.size(),
                            .repeats = plan.repeats,
                            .images = request.images.value(),
                            .guide = engine.guide()};
    // Fine enough to work out from the file what another fall would give.
    for (EffortMeasured& at : calibration.measured) {
        at.vendi = rounded(at.vendi, 1e6);
        at.clip_score = rounded(at.clip_score, 1e6);
    }
    return calibration;
}

Json to_json(const Calibration& calibration) {
    Json points = Json::array();
    for (const auto& [strength, effort] : calibration.points) points.push_back({strength, effort});
    Json measured = Json::array();
    for (const EffortMeasured& at : calibration.measured)
        measured.push_back({{"effort", at.effort}, {"vendi", at.vendi}, {"clip_score", at.clip_score}});
    return {{"points", std::move(points)},    {"measured", std::move(measured)},
            {"fall", calibration.fall},       {"prompts", calibration.prompts},
            {"repeats", calibration.repeats}, {"images", calibration.images},
            {"guide", calibration.guide},     {"version", version()}};
}

}  // namespace gass
