#include "seeds.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"

#include <gass/record.h>

#include <set>

namespace gass::cli {

std::vector<std::uint64_t> parse_seeds(std::string_view list) {
    std::vector<std::uint64_t> seeds;
    for (const std::string_view text : split(list, ',')) {
        const auto seed = parse_number<std::uint64_t>(text);
        if (!seed || *seed > kMaxSeed) {
            fail(ErrorCode::usage, "--seeds",
                 "expected whole numbers from 0 to {}, separated by commas, got {}", kMaxSeed,
                 in_quotes(text));
        }
        seeds.push_back(*seed);
    }
    if (std::set(seeds.begin(), seeds.end()).size() != seeds.size())
        fail(ErrorCode::usage, "--seeds", "a seed stands there twice: its images would be the same");
    return seeds;
}

}  // namespace gass::cli
