#include "eval/run/plan.h"

#include "core/fail.h"
#include "core/hash.h"
#include "core/quote.h"
#include "core/settings.h"
#include "core/text.h"

#include <gass/record.h>

#include <cassert>

namespace gass::eval {
namespace {

/// Seeds that belong to an image of a group: as many as a method can have candidates for it.
constexpr std::uint64_t kSeedsPerImage = 64;

std::string key_of(const Suite& suite, const SuitePrompt& prompt, std::int64_t group, const Recipe& recipe) {
    const Json all{{"recipe", recipe.identity},
                   {"prompt", prompt.text},
                   {"seeds", seeds_of(suite, prompt, group, recipe)}};
    return hash_text(all.dump());
}

}  // namespace

std::vector<std::uint64_t> seeds_of(const Suite& suite, const SuitePrompt& prompt, std::int64_t group,
                                    const Recipe& recipe) {
    const std::uint64_t pool = static_cast<std::uint64_t>(recipe.images) * kSeedsPerImage;
    assert(static_cast<std::uint64_t>(recipe.starts) <= pool);
    // Pools of seeds lie side by side, so that two groups share all of their noise, by a rare chance, or
    // none.
    const std::string place = hash_text(fmt::format("{} {} {}", suite.seed, prompt.index, group));
    const std::uint64_t number = std::stoull(place.substr(0, 16), nullptr, 16);
    const std::uint64_t first = number % ((kMaxSeed + 1) / pool) * pool;
    std::vector<std::uint64_t> seeds;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(recipe.starts); ++i) seeds.push_back(first + i);
    return seeds;
}

std::vector<WorkItem> plan_of(const Suite& suite, const std::vector<std::vector<Recipe>>& recipes) {
    std::vector<WorkItem> items;
    items.reserve(suite.models.size() * suite.prompts.size() * static_cast<std::size_t>(suite.groups) *
                  suite.methods.size());
    for (std::size_t model = 0; model < suite.models.size(); ++model) {
        for (std::size_t prompt = 0; prompt < suite.prompts.size(); ++prompt) {
            for (std::int64_t group = 0; group < suite.groups; ++group) {
                for (std::size_t method = 0; method < suite.methods.size(); ++method)
                    items.push_back({model, method, prompt, group,
                                     key_of(suite, suite.prompts[prompt], group, recipes[model][method])});
            }
        }
    }
    return items;
}

Shard parse_shard(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash != std::string_view::npos) {
        const auto index = parse_number<std::size_t>(text.substr(0, slash));
        const auto count = parse_number<std::size_t>(text.substr(slash + 1));
        if (index && count && *index < *count) return {*index, *count};
    }
    fail(ErrorCode::usage, SettingKey("shard"), "expected I/N with I from 0 to N-1, got {}", in_quotes(text));
}

std::vector<WorkItem> shard_of(const Suite& suite, const std::vector<WorkItem>& items, const Shard& shard) {
    std::vector<WorkItem> own;
    for (const WorkItem& item : items) {
        const std::size_t place =
            item.prompt * static_cast<std::size_t>(suite.groups) + static_cast<std::size_t>(item.group);
        if (place % shard.count == shard.index) own.push_back(item);
    }
    return own;
}

std::string plan_key(const std::vector<WorkItem>& items) {
    std::string all;
    for (const WorkItem& item : items) all += item.key;
    return hash_text(all);
}

}  // namespace gass::eval
