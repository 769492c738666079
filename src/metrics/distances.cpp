#include "metrics/distances.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>

namespace gass {
namespace {

constexpr std::int64_t kStripRows = 512;
constexpr std::int64_t kColumns = 1024;

/// Of |‖x‖² + ‖y‖² − 2 x·y − true| over ‖x‖² + ‖y‖², for x and y rounded to fp32: d roundings of the product,
/// in whatever order it is summed, and a few of the rows, the squares and the sums.
double relative_error(std::int64_t width) {
    constexpr double kRounding = 0x1p-24;
    const double roundings = (static_cast<double>(width) + 32) * kRounding;
    return roundings < 0.5 ? roundings / (1 - roundings) : 1e6;
}

/// What products that vanish in fp32 add to that.
double absolute_error(std::int64_t width) {
    return static_cast<double>(width + 32) * 1e-37;
}

at::Tensor as_given(const at::Tensor& features) {
    const at::ScalarType type = features.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    return features.detach().to(at::kCPU, type).contiguous();
}

double largest_deviation(const at::Tensor& rows, const at::Tensor& mean) {
    const at::Tensor above = std::get<0>(rows.max(0)) - mean;
    const at::Tensor below = mean - std::get<0>(rows.min(0));
    return at::maximum(above, below).max().item<double>();
}

Points centred_points(const at::Tensor& rows, const at::Tensor& mean, double scale) {
    Points points{rows, at::empty(rows.sizes(), at::kFloat), {}, scale};
    points.squares.reserve(static_cast<std::size_t>(rows.size(0)));
    for (std::int64_t first = 0; first < rows.size(0); first += kColumns) {
        const std::int64_t count = std::min(kColumns, rows.size(0) - first);
        at::Tensor block = points.centred.narrow(0, first, count);
        block.copy_(rows.narrow(0, first, count).to(at::kDouble).sub(mean).mul_(scale));
        const at::Tensor squares = block.to(at::kDouble).square_().sum(1).to(at::kFloat);
        const auto* each = squares.const_data_ptr<float>();
        points.squares.insert(points.squares.end(), each, each + count);
    }
    return points;
}

template <class Number>
double squared_difference(const Number* x, const Number* y, std::int64_t width, double scale) {
    // Several sums at once, which the processor can keep in flight.
    constexpr std::int64_t kSums = 8;
    double sums[kSums] = {};
    const std::int64_t whole = width - width % kSums;
    for (std::int64_t i = 0; i < whole; i += kSums) {
        for (std::int64_t lane = 0; lane < kSums; ++lane) {
            const double apart =
                (static_cast<double>(x[i + lane]) - static_cast<double>(y[i + lane])) * scale;
            sums[lane] += apart * apart;
        }
    }
    for (std::int64_t i = whole; i < width; ++i) {
        const double apart = (static_cast<double>(x[i]) - static_cast<double>(y[i])) * scale;
        sums[i - whole] += apart * apart;
    }
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

template <class Number>
double squared_difference(const Points& a, std::int64_t i, const Points& b, std::int64_t j) {
    const std::int64_t width = a.rows.size(1);
    return squared_difference(a.rows.const_data_ptr<Number>() + i * width,
                              b.rows.const_data_ptr<Number>() + j * width, width, a.scale);
}

/// products [columns] → lower bounds, in place.
void bound(float* products, const float* column_squares, std::size_t columns, float row_square,
           float absolute) {
    const float own = row_square - absolute;
    for (std::size_t j = 0; j < columns; ++j) products[j] = (own + column_squares[j]) - 2 * products[j];
}

std::vector<float> shrunk(const std::vector<float>& squares, double factor) {
    std::vector<float> result(squares);
    for (float& square : result) square = static_cast<float>(square * factor);
    return result;
}

}  // namespace

std::pair<Points, Points> points_of(const at::Tensor& a, const at::Tensor& b) {
    at::Tensor first = as_given(a);
    at::Tensor second = as_given(b);
    if (first.scalar_type() != second.scalar_type()) {
        first = first.to(at::kDouble);
        second = second.to(at::kDouble);
    }
    const auto total = static_cast<double>(first.size(0) + second.size(0));
    // Shares before the sum, which could overflow.
    const at::Tensor mean =
        first.mean(0, /*keepdim=*/false, at::kDouble) * (static_cast<double>(first.size(0)) / total) +
        second.mean(0, /*keepdim=*/false, at::kDouble) * (static_cast<double>(second.size(0)) / total);
    const double largest = std::max(largest_deviation(first, mean), largest_deviation(second, mean));
    constexpr int kLargestExponent = 1000;
    const int exponent =
        largest > 0 ? std::clamp(std::ilogb(largest), -kLargestExponent, kLargestExponent) : 0;
    const double scale = std::ldexp(1.0, -exponent);
    return {centred_points(first, mean, scale), centred_points(second, mean, scale)};
}

double squared_distance(const Points& a, std::int64_t i, const Points& b, std::int64_t j) {
    if (a.rows.scalar_type() == at::kDouble) return squared_difference<double>(a, i, b, j);
    return squared_difference<float>(a, i, b, j);
}

double distance_slack(const Points& a, std::int64_t i, const Points& b, std::int64_t j) {
    const std::int64_t width = a.rows.size(1);
    const double squares = static_cast<double>(a.squares[static_cast<std::size_t>(i)]) +
                           static_cast<double>(b.squares[static_cast<std::size_t>(j)]);
    return 2 * (relative_error(width) * squares + absolute_error(width));
}

void visit_distances(const Points& a, const Points& b, const DistanceVisitor& visit) {
    const std::int64_t width = a.rows.size(1);
    const double factor = 1 - relative_error(width);
    const auto absolute = static_cast<float>(absolute_error(width));
    const std::vector<float> row_squares = shrunk(a.squares, factor);
    const std::vector<float> column_squares = shrunk(b.squares, factor);
    const std::int64_t strips = (a.count() + kStripRows - 1) / kStripRows;
    at::parallel_for(0, strips, 1, [&](std::int64_t begin, std::int64_t end) {
        at::Tensor block = at::empty({0}, at::kFloat);
        for (std::int64_t first_row = begin * kStripRows; first_row < std::min(end * kStripRows, a.count());
             first_row += kStripRows) {
            const std::int64_t rows = std::min(kStripRows, a.count() - first_row);
            for (std::int64_t first = 0; first < b.count(); first += kColumns) {
                const std::int64_t columns = std::min(kColumns, b.count() - first);
                block.resize_({rows, columns});
                at::mm_out(block, a.centred.narrow(0, first_row, rows),
                           b.centred.narrow(0, first, columns).t());
                for (std::int64_t i = 0; i < rows; ++i) {
                    float* lower = block.mutable_data_ptr<float>() + i * columns;
                    const auto count = static_cast<std::size_t>(columns);
                    bound(lower, column_squares.data() + first, count,
                          row_squares[static_cast<std::size_t>(first_row + i)], absolute);
                    visit(first_row + i, first, {lower, count});
                }
            }
        }
    });
}

float rounded_up(double number) {
    return std::nextafter(static_cast<float>(number), std::numeric_limits<float>::infinity());
}

}  // namespace gass
