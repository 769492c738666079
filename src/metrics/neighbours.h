#pragma once

#include "metrics/distances.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace gass {

/// The k rows of a set that lie nearest to one row, found from bounds of the distances: what may still be
/// among them is kept, and computed exactly when it becomes too much or at the end.
class NearestRows {
  public:
    struct Candidate {
        std::int64_t index;
        double lower;  // of the squared distance; equal to upper once it is exact
        double upper;
    };

    /// Of row `row` of `from` in `to`. Both must outlive this.
    NearestRows(const Points& from, std::int64_t row, const Points& to, std::int64_t k);

    /// Distances above this need not be offered.
    float reach() const { return reach_; }
    void offer(std::int64_t index, float lower);

    /// The farthest one of the k nearest, exact; of equal ones the last. k or more must have been offered.
    Candidate last();

  private:
    void drop_the_hopeless();
    void make_exact();

    const Points* from_;
    const Points* to_;
    std::int64_t row_;
    std::size_t k_;
    float reach_ = std::numeric_limits<float>::infinity();
    std::vector<Candidate> candidates_;
};

/// For each row of `from` the k-th nearest row of `to`: the farthest one of the k nearest.
/// `among_themselves`: both are the same set, and a row is no neighbour of its own.
std::vector<NearestRows::Candidate> kth_nearest(const Points& from, const Points& to, std::int64_t k,
                                                bool among_themselves);

}  // namespace gass
