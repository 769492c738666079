#pragma once

#include "eval/suite/suite.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gass::eval {

/// One group of images to make: the unit of work.
struct WorkItem {
    std::size_t model = 0;  ///< places in the suite
    std::size_t method = 0;
    std::size_t prompt = 0;
    std::int64_t group = 0;  ///< of the prompt's groups
    /// Of all that decides the group's bytes. What a store holds under a key is never made again, whatever
    /// else has become of the suite.
    std::string key;
};

/// What decides the bytes of a group beside its prompt and seeds, for one method on one model.
struct Recipe {
    Json identity;            ///< weights, settings, method with every parameter
    std::int64_t images = 1;  ///< in a group
    std::int64_t starts = 1;  ///< seeds that it starts from: more where the method selects
};

/// The seeds of a prompt's group: the same for all methods; one that selects takes more of the same sequence.
/// They depend on nothing but the suite's seed, the prompt's place in its list and the group's number, so
/// that a longer suite goes on where a shorter one ended.
std::vector<std::uint64_t> seeds_of(const Suite& suite, const SuitePrompt& prompt, std::int64_t group,
                                    const Recipe& recipe);

/// All groups of a suite. `recipes`: [model][method]. All methods of a prompt come together, so that what an
/// unfinished run has made can be compared.
std::vector<WorkItem> plan_of(const Suite& suite, const std::vector<std::vector<Recipe>>& recipes);

/// A share of the work, for jobs that cannot talk to each other: every `count`th prompt's group, from the
/// `index`th on.
struct Shard {
    std::size_t index = 0;
    std::size_t count = 1;
};

/// "2/8". Throws usage, as the setting `shard`.
Shard parse_shard(std::string_view text);
std::vector<WorkItem> shard_of(const Suite& suite, const std::vector<WorkItem>& items, const Shard& shard);

/// Stands for the whole plan: processes that work on it together must have the same.
std::string plan_key(const std::vector<WorkItem>& items);

}  // namespace gass::eval
