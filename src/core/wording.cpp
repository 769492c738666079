#include "core/wording.h"

#include "core/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace gass {
namespace {

/// Longer names than this are no slips of the finger, and comparing them would take long.
constexpr std::size_t kLongestName = 64;

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

/// How many letters must be put in, left out, replaced or swapped with their neighbour to make one name of
/// the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    const std::size_t columns = b.size() + 1;
    std::vector<std::size_t> table((a.size() + 1) * columns);
    const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return table[i * columns + j]; };
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                at(i, j) = i + j;
                continue;
            }
            const std::size_t replaced = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
            at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
        }
    }
    return at(a.size(), b.size());
}

/// A third of a name may be wrong, one letter of a short one.
std::size_t allowed_distance(std::size_t length) {
    return length < 2 ? 0 : std::clamp<std::size_t>(length / 3, 1, 3);
}

}  // namespace

std::string counted(std::uint64_t count, std::string_view noun, std::string_view nouns) {
    if (count == 1) return fmt::format("1 {}", noun);
    return nouns.empty() ? fmt::format("{} {}s", count, noun) : fmt::format("{} {}", count, nouns);
}

std::optional<std::string_view> nearest(std::string_view name, const std::vector<std::string_view>& known) {
    constexpr std::size_t kShortestBeginning = 3;
    if (name.size() > kLongestName) return std::nullopt;
    const std::string written = lower_case(name);
    std::optional<std::string_view> best;
    std::size_t best_distance = kLongestName;
    for (const std::string_view one : known) {
        if (one.size() > kLongestName) continue;
        const std::string candidate = lower_case(one);
        const std::size_t distance = edit_distance(written, candidate);
        const bool is_beginning = written.size() >= kShortestBeginning && candidate.starts_with(written);
        if ((is_beginning || distance <= allowed_distance(written.size())) && distance < best_distance) {
            best = one;
            best_distance = distance;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known) {
    const std::optional<std::string_view> meant = nearest(name, known);
    return meant ? fmt::format(" (did you mean {}?)", in_quotes(*meant)) : std::string();
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
    return did_you_mean(name, std::vector<std::string_view>(known.begin(), known.end()));
}

}  // namespace gass
