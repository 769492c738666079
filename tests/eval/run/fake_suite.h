#pragma once

#include "eval/run/plan.h"
#include "eval/run/worker.h"

#include <cstddef>
#include <string>
#include <vector>

namespace gass::eval {

/// A suite of two models and three methods, and its plan, without files and networks.
struct FakeRun {
    explicit FakeRun(std::size_t prompts, std::int64_t groups = 1);

    Suite suite;
    std::vector<std::vector<Recipe>> recipes;
    std::vector<WorkItem> items;
};

/// What `FakeMaker` makes of an item: the same each time.
MadeGroup fake_group(const WorkItem& item);

inline constexpr const char* kFakeEncoder = "fake";

}  // namespace gass::eval
