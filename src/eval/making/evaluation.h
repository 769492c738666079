#pragma once

#include "core/settings.h"
#include "eval/report/assertion.h"
#include "eval/report/results.h"
#include "eval/run/job.h"
#include "eval/run/plan.h"
#include "eval/run/runner.h"
#include "eval/suite/suite.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A suite from its file to its report: what gass eval does, but for flags and printing.
namespace gass::eval {

/// What somebody wants evaluated.
struct EvaluationRequest {
    std::string suite = {};  ///< a file, or the name of one that comes with gass; empty: that of the run
    SuiteOverrides overrides = {};      ///< over the suite; what they do not say is as the run has it
    std::filesystem::path folder = {};  ///< of the run; empty: gass-out/eval-SUITE
    /// Make only this share of the groups, in a folder below that of the run, and report nothing.
    std::optional<Shard> shard = {};
    bool resume = false;                   ///< go on with the run that is there
    bool report_only = false;              ///< make nothing, report what is there
    std::vector<std::string> checks = {};  ///< on the results, "gass.spp > none.spp" (check_assertion)
};

/// The settings of a model: those of the suite, which it is given with where they are from, under whatever
/// the user says himself.
using SettingsOver = std::function<Settings(const Json& object, std::string_view origin)>;

/// How much an evaluation comes to.
struct EvaluationPlan {
    std::string suite;             ///< its name
    std::filesystem::path folder;  ///< of the run, or of the shard
    std::size_t models = 0;
    std::size_t methods = 0;
    std::size_t prompts = 0;
    std::int64_t groups_of_prompt = 1;  ///< under each method
    std::size_t groups = 0;             ///< of them all, or of the shard
    std::size_t images = 0;
    std::size_t groups_left = 0;  ///< that no store of the run has yet
    std::size_t images_left = 0;
    std::int64_t evaluations_left = 0;       ///< of the denoisers, for one image and one text each
    std::optional<double> seconds_left = 0;  ///< about, by the last such sets here; none if there were none
};

/// How a caller watches an evaluation and stops it. Each may be empty.
struct EvaluationEvents {
    /// The suite is read, and what it needs is there.
    std::function<void(const Suite& suite)> started;
    std::function<void(std::string_view phase, std::size_t done, std::size_t total)> progress;
    /// A group could not be made; the others are.
    std::function<void(const Failure& failure)> failed;
    /// All groups that were not there are settled.
    std::function<void(std::size_t groups, const RunTimes& times)> settled;
    std::function<bool()> should_stop;
};

/// What came of an evaluation.
struct EvaluationResult {
    std::filesystem::path folder;         ///< of the run, or of the shard
    std::size_t groups = 0;               ///< planned
    std::optional<Results> results = {};  ///< none of a shard
    std::vector<Assertion> checks = {};   ///< what came of the request's
};

// `job`: the processes that mpirun or srun started. This one is rank 0, which has the store, and the others
// call `help_evaluation`. Shards are for jobs that do not talk to each other.

/// Opens and checks everything, and makes nothing. Throws whatever is wrong with the suite, its models and
/// encoders, or the store of a run that is there.
EvaluationPlan plan_evaluation(const EvaluationRequest& request, const SettingsOver& settings,
                               Communicator* job = nullptr);

/// Makes the groups that are not there, of a run that is gathered from its shards first, measures all of them
/// and writes the report. What the request does not say of a run that is there is as the run remembers it.
/// Throws as `plan_evaluation` does, usage for a folder that it must not touch or whose run has other groups,
/// and whatever ends a run (runner.h).
EvaluationResult evaluate(const EvaluationRequest& request, const SettingsOver& settings,
                          const EvaluationEvents& events, Communicator* job = nullptr);

/// Makes groups for rank 0 until it has no more; for `plan_evaluation`, none. If this process cannot, rank 0
/// learns why, and the result is the code of that.
std::optional<ErrorCode> help_evaluation(const EvaluationRequest& request, const SettingsOver& settings,
                                         const std::function<bool()>& should_stop, Communicator& job);

}  // namespace gass::eval
