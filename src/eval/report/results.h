#pragma once

#include "core/json.h"
#include "core/resampling.h"
#include "eval/suite/suite.h"
#include "io/image.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass::eval {

/// What one method on one model got by one metric.
struct Scores {
    /// A value for each prompt of the suite; none where its groups are not there or cannot be measured.
    std::vector<std::optional<double>> prompts;
    /// Of a metric that looks at all images at once (fid, kid, irs, scendi) or has no classes to go by, in
    /// place of the above.
    std::optional<double> whole;
    std::optional<Interval> whole_interval;
    std::string reason;  ///< why there is no value at all
};

struct Failure {
    std::string model;  ///< ids
    std::string method;
    std::size_t prompt = 0;  ///< place in the suite's prompts
    std::int64_t group = 0;
    std::string reason;
};

/// The pictures of one prompt under all methods.
struct SampleSheet {
    std::string model;  ///< id
    std::size_t prompt = 0;
    Image image;
};

/// Everything that a report is made of.
struct Results {
    Suite suite;
    /// scores[model][method][metric], in the suite's order.
    std::vector<std::vector<std::vector<Scores>>> scores;
    /// [metric], of the reference's pictures; empty if the suite does not measure them.
    std::vector<Scores> real;
    std::size_t planned = 0;  ///< groups
    std::size_t done = 0;
    std::vector<Failure> failures;
    /// For each model whether the run is one that the paper's numbers may stand beside.
    std::vector<bool> matches_published;
    /// {"gass", "models": {id: {"model", "fingerprint", "settings", "methods": {id: complete text}}},
    /// "encoders": {metric id: …}}: all that another person needs to get the same.
    Json provenance = Json::object();
    std::vector<SampleSheet> sheets;
};

/// What a method, or kReal, got on a model; null if there is nothing of that name.
const Scores* find_scores(const Results& results, std::string_view model, std::string_view method,
                          std::string_view metric);

/// The settings that a model's groups were made with, as the provenance has them; nullptr if it does not.
const Json* made_with(const Results& results, std::string_view model);
/// Those that are the same for all models.
Json settings_in_common(const Results& results);

/// Whether published numbers may stand beside this model's.
bool matches_published(const Results& results, std::string_view model);

/// Names for people.
std::string_view model_name(const Suite& suite, std::string_view id);
/// Of kReal, too.
std::string_view method_name(const Suite& suite, std::string_view id);

}  // namespace gass::eval
