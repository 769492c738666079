#include "engine/pace.h"

#include "cache/feature_cache.h"
#include "core/log.h"
#include "io/file.h"
#include "nn/device.h"
#include "record/labels.h"

#include <cmath>
#include <filesystem>

namespace gass {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFile = std::size_t{1} << 20U;

fs::path pace_file() {
    return FeatureCache::default_path().parent_path() / "pace.json";
}

/// What decides how long an evaluation takes.
std::string key_of(const LoadedModel& model, const PlanParts& plan) {
    return fmt::format("{} {}x{} {} {} {} threads", model_label(model.options().model), plan.size.width,
                       plan.size.height, dtype_name(model.placement().dtype), model.device().str(),
                       model.threads());
}

/// Seconds of one evaluation, by key.
Json read_paces() {
    try {
        Json json = parse_json(read_text_file(pace_file(), kMaxFile), "pace.json");
        if (json.is_object()) return json;
    } catch (const Error& error) {
        log::debug("no paces are known: {}", error.what());
    }
    return Json::object();
}

}  // namespace

std::optional<double> expected_seconds(const LoadedModel& model, const PlanParts& plan,
                                       std::int64_t evaluations) {
    const Json paces = read_paces();
    const auto known = paces.find(key_of(model, plan));
    if (known == paces.end() || !known->is_number()) return std::nullopt;
    const double seconds = known->get<double>() * static_cast<double>(evaluations);
    return std::isfinite(seconds) && seconds >= 0 ? std::optional(seconds) : std::nullopt;
}

void note_seconds(const LoadedModel& model, const PlanParts& plan, std::int64_t evaluations, double seconds) {
    try {
        Json paces = read_paces();
        paces[key_of(model, plan)] = seconds / static_cast<double>(std::max<std::int64_t>(evaluations, 1));
        fs::create_directories(pace_file().parent_path());
        write_text_file(pace_file(), paces.dump(1) + "\n");
    } catch (const std::exception& error) {
        log::debug("the pace is not noted: {}", error.what());
    }
}

}  // namespace gass
