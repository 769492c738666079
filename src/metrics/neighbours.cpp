#include "metrics/neighbours.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <optional>
#include <span>
#include <tuple>

namespace gass {
namespace {

bool is_nearer(const NearestRows::Candidate& a, const NearestRows::Candidate& b) {
    return std::tie(a.upper, a.index) < std::tie(b.upper, b.index);
}

}  // namespace

NearestRows::NearestRows(const Points& from, std::int64_t row, const Points& to, std::int64_t k)
    : from_(&from), to_(&to), row_(row), k_(static_cast<std::size_t>(k)) {
    assert(k > 0);
}

void NearestRows::offer(std::int64_t index, float lower) {
    const auto bound = static_cast<double>(lower);
    candidates_.push_back({index, bound, bound + distance_slack(*from_, row_, *to_, index)});
    constexpr std::size_t kFew = 32;
    const std::size_t enough = 2 * k_ + kFew;
    if (candidates_.size() < 2 * enough) return;
    drop_the_hopeless();
    if (candidates_.size() < enough) return;
    make_exact();
    drop_the_hopeless();
    // What is left over is exact, and equally far: the first of them count.
    candidates_.resize(std::min(candidates_.size(), k_));
}

void NearestRows::drop_the_hopeless() {
    const auto kth = candidates_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::nth_element(candidates_.begin(), kth, candidates_.end(), is_nearer);
    const double farthest = kth->upper;
    reach_ = rounded_up(farthest);
    candidates_.erase(std::remove_if(kth + 1, candidates_.end(),
                                     [&](const Candidate& each) { return each.lower > farthest; }),
                      candidates_.end());
}

void NearestRows::make_exact() {
    for (Candidate& each : candidates_) {
        if (each.lower == each.upper) continue;
        each.lower = each.upper = squared_distance(*from_, row_, *to_, each.index);
    }
}

NearestRows::Candidate NearestRows::last() {
    assert(candidates_.size() >= k_);
    drop_the_hopeless();
    make_exact();
    const auto kth = candidates_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::nth_element(candidates_.begin(), kth, candidates_.end(), is_nearer);
    return *kth;
}

std::vector<NearestRows::Candidate> kth_nearest(const Points& from, const Points& to, std::int64_t k,
                                                bool among_themselves) {
    assert(k > 0 && k <= to.count() - (among_themselves ? 1 : 0));
    std::vector<NearestRows::Candidate> found(static_cast<std::size_t>(from.count()));
    // Only rows under way have candidates.
    std::vector<std::optional<NearestRows>> nearest(found.size());
    visit_distances(from, to, [&](std::int64_t row, std::int64_t first, std::span<const float> lower) {
        std::optional<NearestRows>& own = nearest[static_cast<std::size_t>(row)];
        if (first == 0) own.emplace(from, row, to, k);
        for (std::size_t j = 0; j < lower.size(); ++j) {
            const std::int64_t column = first + static_cast<std::int64_t>(j);
            if (lower[j] > own->reach() || (among_themselves && column == row)) continue;
            own->offer(column, lower[j]);
        }
        if (first + static_cast<std::int64_t>(lower.size()) < to.count()) return;
        found[static_cast<std::size_t>(row)] = own->last();
        own.reset();
    });
    return found;
}

}  // namespace gass
