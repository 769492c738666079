#pragma once

#include "eval/report/results.h"

#include <cstddef>
#include <string_view>

namespace gass::eval {

/// What a method, or kReal, got on a model; null if there is nothing of that name.
const Scores* find_scores(const Results& results, std::string_view model, std::string_view method,
                          std::string_view metric);

/// Whether published numbers may stand beside this model's.
bool matches_published(const Results& results, std::string_view model);

/// Names for people.
std::string_view model_name(const Suite& suite, std::string_view id);
/// Of kReal, too.
std::string_view method_name(const Suite& suite, std::string_view id);

}  // namespace gass::eval
