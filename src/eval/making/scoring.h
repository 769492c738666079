#pragma once

#include "eval/making/group_maker.h"
#include "eval/making/reference.h"
#include "eval/report/results.h"
#include "eval/run/store.h"

#include <functional>
#include <string>
#include <vector>

namespace gass::eval {

/// How a caller watches the measuring and stops it. Each may be empty.
struct ScoringEvents {
    std::function<void(std::string_view phase, std::size_t done, std::size_t total)> progress;
    std::function<bool()> should_stop;
};

/// Measures what a store holds of a suite's plan. Groups that a network has not seen yet, because the suite
/// got another metric since, are shown to it now, from their pictures.
///
/// A metric of a prompt is that of all its images or, if the suite says so, the mean over its groups. Those
/// that look at everything at once (fid, kid, irs, scendi), and those that compare with real pictures which
/// have no classes, are of all prompts together.
Results score(const Suite& suite, const std::vector<PreparedModel>& models,
              const std::vector<WorkItem>& items, Store& store, EncoderSet& encoders, Reference& reference,
              const ScoringEvents& events);

}  // namespace gass::eval
