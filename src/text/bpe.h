#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace gass {

/// The merges of a byte-pair encoding: which two neighbouring tokens become which one, and which merge goes
/// first.
class BytePairMerges {
  public:
    /// Ranks rise from call to call. A pair that comes twice takes its later rank.
    void add(std::int32_t left, std::int32_t right, std::int32_t merged);

    /// Appends what is left of `word` when nothing can be merged any more. O(n log n).
    void apply(std::span<const std::int32_t> word, std::vector<std::int32_t>& ids) const;

  private:
    struct Merge {
        std::uint32_t rank;
        std::int32_t merged;
    };

    const Merge* find(std::int32_t left, std::int32_t right) const;

    std::unordered_map<std::uint64_t, Merge> merges_;
    std::uint32_t next_rank_ = 0;
};

}  // namespace gass
