#include "seeds.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"

#include <gass/record.h>

#include <algorithm>
#include <set>

namespace gass::cli {
namespace {

struct SeedRange {
    std::uint64_t first;
    std::uint64_t last;
};

/// "7", or "1-4".
SeedRange parse_range(std::string_view text, std::string_view flag) {
    const std::size_t dash = std::min(text.find('-'), text.size());
    const auto first = parse_number<std::uint64_t>(text.substr(0, dash));
    const auto last = dash == text.size() ? first : parse_number<std::uint64_t>(text.substr(dash + 1));
    if (!first || !last || std::max(*first, *last) > kMaxSeed)
        fail(ErrorCode::usage, flag,
             "expected whole numbers from 0 to {} or ranges like 1-4, separated by commas, got {}", kMaxSeed,
             in_quotes(text));
    if (*first > *last)
        fail(ErrorCode::usage, flag, "{} runs backwards; write {}-{}", in_quotes(text), *last, *first);
    return {*first, *last};
}

}  // namespace

std::vector<std::uint64_t> parse_seeds(std::string_view list, std::string_view flag) {
    std::vector<std::uint64_t> seeds;
    std::set<std::uint64_t> seen;
    for (const std::string_view text : split(list, ',')) {
        const SeedRange range = parse_range(text, flag);
        if (range.last - range.first >= kMaxSeeds - seeds.size())
            fail(ErrorCode::usage, flag, "with {} there are more than {} numbers", in_quotes(text),
                 kMaxSeeds);
        for (std::uint64_t seed = range.first; seed <= range.last; ++seed) {
            if (!seen.insert(seed).second) fail(ErrorCode::usage, flag, "{} is given twice", seed);
            seeds.push_back(seed);
        }
    }
    return seeds;
}

}  // namespace gass::cli
