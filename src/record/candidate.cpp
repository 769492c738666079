#include "record/candidate.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gass {
namespace {

struct FateWords {
    CandidateFate fate;
    bool kept;
    std::string_view reason;
};

/// In this order as CandidateFate has them. Files hold these words since 0.1: others are others' files.
constexpr std::array kFates{
    FateWords{CandidateFate::kept, true, ""},
    FateWords{CandidateFate::kept_not_seen, true, "its embedding is not finite"},
    FateWords{CandidateFate::less_matching, false, "matches the prompt less than others"},
    FateWords{CandidateFate::less_volume, false, "adds less volume than others"},
    FateWords{CandidateFate::not_seen, false, "its embedding is not finite"},
    FateWords{CandidateFate::other, false, ""},
};

const FateWords& words_of(CandidateFate fate) {
    return *std::ranges::find(kFates, fate, &FateWords::fate);
}

}  // namespace

bool is_kept(CandidateFate fate) {
    return words_of(fate).kept;
}

std::string_view reason_of(const Candidate& candidate) {
    return candidate.reason.empty() ? words_of(candidate.fate).reason : candidate.reason;
}

void set_fate(Candidate& candidate, bool kept, std::string reason) {
    const auto known = std::ranges::find_if(
        kFates, [&](const FateWords& row) { return row.kept == kept && row.reason == reason; });
    if (known != kFates.end()) {
        candidate.fate = known->fate;
        candidate.reason.clear();
        return;
    }
    candidate.fate = kept ? CandidateFate::kept : CandidateFate::other;
    candidate.reason = std::move(reason);
}

std::size_t count_of(const Selection& selection, CandidateFate fate) {
    return static_cast<std::size_t>(std::ranges::count(selection.candidates, fate, &Candidate::fate));
}

std::size_t count_kept(const Selection& selection) {
    return static_cast<std::size_t>(std::ranges::count_if(selection.candidates, is_kept, &Candidate::fate));
}

}  // namespace gass
