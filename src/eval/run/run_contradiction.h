#pragma once

#include "eval/run/remembered_run.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Whatever would make another run of one that is there is refused, with what the run has. More is welcome:
// prompts, methods, models, groups, metrics.
namespace gass::eval {

/// A suite that lacks a model or method that the run was narrowed down to is another's.
void check_knows_names(const RememberedRun& run, const Json& document, const std::string& suite);

/// `then`: the suite as the run had it. `said`: what of `now` the user says himself.
void check_has_all(const RememberedRun& run, const Suite& then, const Suite& now, const SuiteOverrides& said);

/// Where a model's setting is from, for complaints.
using OriginOf = std::function<std::string(std::size_t model, std::string_view setting)>;

/// Refuses recipes, [model][method], that would make other images than the run's.
void check_recipes(const RememberedRun& run, const Suite& suite,
                   const std::vector<std::vector<Recipe>>& recipes, const OriginOf& origin_of);

}  // namespace gass::eval
