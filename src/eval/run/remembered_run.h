#pragma once

#include "core/json.h"
#include "eval/run/plan.h"
#include "eval/suite/suite.h"

#include <filesystem>
#include <string>
#include <vector>

// A run remembers how it was made, so that whoever goes on with it or reports it need not say so again, and
// so that nobody mixes it with another.
namespace gass::eval {

struct RememberedRun {
    std::filesystem::path folder = {};  ///< that it was found in; not part of what is written down
    std::string suite = {};             ///< its name
    /// As its file has it, with what it extends and all its prompts; what it names lies where it lay.
    Json document = Json::object();
    SuiteOverrides overrides = {};   ///< less the file of prompts, whose list is `prompts`
    Json prompts = nullptr;          ///< in place of the document's, as a suite has them; null: none
    Json settings = Json::object();  ///< {model: what its groups were made with, as --config reads it}
    Json recipes = Json::object();   ///< {model: {method: identity}}
};

Json to_json(const RememberedRun& run);
/// Throws model_invalid for what `to_json` did not write.
RememberedRun read_remembered_run(const Json& json, const std::filesystem::path& folder);

/// The suite as the run had it. `reference`: where the real pictures are now, if they are elsewhere.
Suite suite_of(const RememberedRun& run, const std::string& reference);

/// A suite that somebody asks for, and what it was read from.
struct RequestedSuite {
    Json document = Json::object();
    SuiteOverrides overrides = {};
    Json prompts = nullptr;  ///< that the run has in place of the document's; null: none
    Suite suite = {};
};

/// The suite of that name or file; without a name that of the run, which must be there then. Whatever is not
/// said in `overrides` is as the run has it, if there is one. Throws usage for a suite that does not have all
/// that the run has, or says other prompts or seeds; and as `find_suite` and `read_suite` do.
RequestedSuite requested_suite(const std::string& name, const SuiteOverrides& overrides,
                               const RememberedRun* run);

/// The settings of a model of the suite, less what the user says himself: those of the run where the suite
/// says what it said then, else the suite's own.
Json settings_below(const Suite& suite, std::size_t model, const RememberedRun* run);

/// What is to be remembered of a run. `settings`: of each model. `recipes`: [model][method].
RememberedRun remembered_run(const RequestedSuite& requested, const std::vector<Json>& settings,
                             const std::vector<std::vector<Recipe>>& recipes);

}  // namespace gass::eval
