#pragma once

#include <gass/record.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace gass {

/// Whether a candidate of that fate became one of the set.
bool is_kept(CandidateFate fate);

/// Why something happened to a candidate, in words; empty if nothing did, or nobody says why.
std::string_view reason_of(const Candidate& candidate);

/// Sets fate and reason of a candidate from whether it was kept and the words for why.
void set_fate(Candidate& candidate, bool kept, std::string reason);

std::size_t count_of(const Selection& selection, CandidateFate fate);
/// Those of the candidates that became the set.
std::size_t count_kept(const Selection& selection);

}  // namespace gass
