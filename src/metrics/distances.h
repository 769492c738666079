#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

// Distances between the rows of two sets, far too many to compute in fp64. They are bounded by fp32 matrix
// products with a strict error bound, and only where the bounds leave a question open the one distance is
// computed in fp64 from the rows as given. So every decision is that of fp64 arithmetic.

namespace gass {

/// Rows that distances are taken from.
struct Points {
    at::Tensor rows;             // [n, d], as given: fp32 or fp64, on the CPU
    at::Tensor centred;          // [n, d], fp32: (rows − a common mean) · scale
    std::vector<float> squares;  // [n], squared lengths of the centred rows
    double scale = 1;            // a power of two that keeps squares from overflowing and vanishing

    std::int64_t count() const { return rows.size(0); }
};

/// Two sets of finite features [n, d] with a common mean and scale.
std::pair<Points, Points> points_of(const at::Tensor& a, const at::Tensor& b);

/// The squared distance of row i of `a` to row j of `b`, times scale², in fp64: the same number whichever set
/// comes first, and exactly 0 for equal rows.
double squared_distance(const Points& a, std::int64_t i, const Points& b, std::int64_t j);

/// How much a squared distance may lie above the lower bound that visit_distances() gives.
double distance_slack(const Points& a, std::int64_t i, const Points& b, std::int64_t j);

/// Calls `visit(i, first, lower)` for every row i of `a` and, block by block in ascending order, the columns
/// from `first` on: lower[j] is a lower bound of its squared distance to row first + j of `b`. Rows are
/// spread over threads; one row's calls come from one thread.
using DistanceVisitor =
    std::function<void(std::int64_t row, std::int64_t first_column, std::span<const float> lower)>;
void visit_distances(const Points& a, const Points& b, const DistanceVisitor& visit);

/// A number in fp32 that is not below this one.
float rounded_up(double number);

}  // namespace gass
