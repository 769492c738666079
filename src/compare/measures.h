#pragma once

#include "compare/comparison.h"
#include "explain/group_story.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass::compare {

using explain::Number;

/// A number that groups are compared by.
struct Measure {
    std::string_view key;    ///< in JSON and CSV
    std::string_view title;  ///< for people
    int decimals = 3;
    bool more_is_better = true;
    Number Spread::*of_spread = nullptr;  ///< where a spread has it; seconds are no part of one
};

inline constexpr Measure kSpp{"spp", "SPP", 3, true, &Spread::spp};
inline constexpr Measure kAlong{"d_dep", "SPP along", 3, true, &Spread::d_dep};
inline constexpr Measure kAcross{"d_ind", "SPP across", 3, true, &Spread::d_ind};
inline constexpr Measure kVendi{"vendi", "Vendi", 2, true, &Spread::vendi};
inline constexpr Measure kPairwise{"pairwise", "Pairwise", 3, true, &Spread::pairwise};
inline constexpr Measure kClipScore{"clip_score", "CLIPScore", 3, true, &Spread::clip_score};
inline constexpr Measure kSeconds{"seconds", "Seconds", 1, false};

inline constexpr std::array kMeasures{kVendi, kSpp, kAlong, kAcross, kPairwise, kClipScore, kSeconds};

/// None if the group failed, or if the number is missing or not finite.
Number value_of(const ComparedGroup& group, const Measure& measure);

/// The whole spread; nothing if the group has none. Places beyond those of the images are left out.
std::optional<Spread> spread_of(const ComparedGroup& group);

/// A mean, and over how many prompts.
struct Mean {
    Number value;
    std::size_t prompts = 0;
};

Mean mean_of(const std::vector<const ComparedGroup*>& groups, const Measure& measure);

/// One method over all prompts.
struct ComparedMethod {
    std::string name;
    std::vector<const ComparedGroup*> groups;  ///< in the order of the prompts

    std::size_t failures() const;
};

std::vector<ComparedMethod> methods_of(const Comparison& comparison);
/// The same for a part of it.
std::vector<ComparedMethod> methods_of(const ComparedPrompt& prompt);

/// "0.417", "–" if there is none.
std::string shown(Number value, const Measure& measure);

/// Which of these values is the best, ties as they are shown included. Only means over as many prompts as any
/// has are compared; there is no best among fewer than two, nor where all are the same.
std::vector<bool> best_of(const std::vector<Mean>& means, const Measure& measure);

}  // namespace gass::compare
