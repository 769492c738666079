#include "metrics/prdc.h"

#include "core/fail.h"
#include "metrics/distances.h"
#include "metrics/features.h"
#include "metrics/neighbours.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

namespace gass {
namespace {

void check_k(std::int64_t k, const at::Tensor& features, const char* name) {
    if (k >= 1 && k < features.size(0)) return;
    fail(ErrorCode::usage, name,
         "expected k of 1 or more and below the number of images, got k = {} and {} images; lower k or give "
         "more images",
         k, features.size(0));
}

/// The images' balls: squared radii.
struct Balls {
    std::vector<double> squares;
    std::vector<float> rounded_up;

    Balls(const Points& points, std::int64_t k) {
        for (const NearestRows::Candidate& last : kth_nearest(points, points, k, /*among_themselves=*/true)) {
            squares.push_back(last.upper);
            rounded_up.push_back(gass::rounded_up(last.upper));
        }
    }
};

/// One distance, as exactly as a question needs it.
class Distance {
  public:
    Distance(const Points& real, std::int64_t i, const Points& generated, std::int64_t j, float lower)
        : real_(real),
          i_(i),
          generated_(generated),
          j_(j),
          lower_(static_cast<double>(lower)),
          upper_(lower_ + distance_slack(real, i, generated, j)) {}

    bool is_within(double square, bool strict) {
        if (lower_ > square) return false;
        if (upper_ < square) return true;
        if (lower_ != upper_) lower_ = upper_ = squared_distance(real_, i_, generated_, j_);
        return strict ? lower_ < square : lower_ <= square;
    }

  private:
    const Points& real_;
    std::int64_t i_;
    const Points& generated_;
    std::int64_t j_;
    double lower_;
    double upper_;
};

/// Who lies in whose ball.
struct Memberships {
    std::vector<char> covered;                      // of the real images: a generated one lies in its ball
    std::vector<char> recalled;                     // of the real images: it lies in a generated one's ball
    std::vector<std::atomic<std::int32_t>> within;  // of the generated images: in how many real balls it lies

    Memberships(std::int64_t real, std::int64_t generated)
        : covered(static_cast<std::size_t>(real)),
          recalled(covered.size()),
          within(static_cast<std::size_t>(generated)) {}
};

void find_memberships(const Points& real, const Points& generated, std::int64_t k, bool strict,
                      Memberships& found) {
    const Balls real_balls(real, k);
    const Balls generated_balls(generated, k);
    visit_distances(real, generated, [&](std::int64_t row, std::int64_t first, std::span<const float> lower) {
        const auto i = static_cast<std::size_t>(row);
        const float own_reach = real_balls.rounded_up[i];
        const float* reach = generated_balls.rounded_up.data() + first;
        for (std::size_t column = 0; column < lower.size(); ++column) {
            if (lower[column] > std::max(own_reach, reach[column])) continue;
            const std::size_t j = static_cast<std::size_t>(first) + column;
            Distance distance(real, row, generated, static_cast<std::int64_t>(j), lower[column]);
            if (distance.is_within(real_balls.squares[i], strict)) {
                found.covered[i] = 1;
                found.within[j].fetch_add(1, std::memory_order_relaxed);
            }
            if (found.recalled[i] == 0 && distance.is_within(generated_balls.squares[j], strict)) {
                found.recalled[i] = 1;
            }
        }
    });
}

template <class Values>
at::Tensor tensor_of(const Values& values) {
    at::Tensor result = at::empty({static_cast<std::int64_t>(values.size())}, at::kDouble);
    std::copy(values.begin(), values.end(), result.mutable_data_ptr<double>());
    return result;
}

}  // namespace

Prdc prdc(const at::Tensor& real, const at::Tensor& generated, std::int64_t k, bool strict) {
    check_features(real, "the real images");
    check_features(generated, "the generated images");
    check_same_width(real, "the real images", generated, "the generated images");
    check_k(k, real, "the real images");
    check_k(k, generated, "the generated images");
    const auto [real_points, generated_points] = points_of(real, generated);
    Memberships found(real.size(0), generated.size(0));
    find_memberships(real_points, generated_points, k, strict, found);
    const at::Tensor within = tensor_of(found.within);
    Estimate density = mean_estimate(within);
    density.value /= static_cast<double>(k);
    density.influence = density.influence / static_cast<double>(k);
    return {.precision = mean_estimate(within > 0),
            .recall = mean_estimate(tensor_of(found.recalled)),
            .density = density,
            .coverage = mean_estimate(tensor_of(found.covered))};
}

}  // namespace gass
