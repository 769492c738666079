#include "text/bpe.h"

#include <queue>
#include <tuple>

namespace gass {
namespace {

std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
    return (std::uint64_t{static_cast<std::uint32_t>(left)} << 32U) | static_cast<std::uint32_t>(right);
}

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// One token of the word, linked to its neighbours; merging unlinks the right one.
struct Symbol {
    std::int32_t id;
    std::size_t previous;
    std::size_t next;
    bool gone = false;
};

struct Candidate {
    std::uint32_t rank;
    std::size_t at;
    std::int32_t merged;

    bool operator>(const Candidate& other) const {
        return std::tie(rank, at) > std::tie(other.rank, other.at);
    }
};

}  // namespace

void BytePairMerges::add(std::int32_t left, std::int32_t right, std::int32_t merged) {
    merges_.insert_or_assign(pair_key(left, right), Merge{next_rank_++, merged});
}

const BytePairMerges::Merge* BytePairMerges::find(std::int32_t left, std::int32_t right) const {
    const auto it = merges_.find(pair_key(left, right));
    return it == merges_.end() ? nullptr : &it->second;
}

void BytePairMerges::apply(std::span<const std::int32_t> word, std::vector<std::int32_t>& ids) const {
    std::vector<Symbol> symbols;
    symbols.reserve(word.size());
    for (std::size_t i = 0; i < word.size(); ++i) {
        symbols.push_back({word[i], i == 0 ? kNone : i - 1, i + 1 == word.size() ? kNone : i + 1});
    }
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    const auto offer = [&](std::size_t at) {
        if (at == kNone || symbols[at].next == kNone) return;
        const Merge* merge = find(symbols[at].id, symbols[symbols[at].next].id);
        if (merge != nullptr) queue.push({merge->rank, at, merge->merged});
    };
    for (std::size_t i = 0; i < symbols.size(); ++i) offer(i);

    while (!queue.empty()) {
        const Candidate best = queue.top();
        queue.pop();
        Symbol& left = symbols[best.at];
        if (left.gone || left.next == kNone) continue;
        Symbol& right = symbols[left.next];
        // The neighbours may have changed since the candidate was offered.
        const Merge* merge = find(left.id, right.id);
        if (merge == nullptr || merge->merged != best.merged) continue;
        left.id = best.merged;
        right.gone = true;
        left.next = right.next;
        if (left.next != kNone) symbols[left.next].previous = best.at;
        offer(left.previous);
        offer(best.at);
    }
    for (const Symbol& symbol : symbols) {
        if (!symbol.gone) ids.push_back(symbol.id);
    }
}

}  // namespace gass
