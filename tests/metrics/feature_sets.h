#pragma once

#include "metrics/estimate.h"
#include "tensor/random.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <tuple>

namespace gass::test {

/// Matrices this small gain nothing from a second thread, and wait for it where the machine is busy.
inline const bool kOneThread = [] {
    at::set_num_threads(1);
    return true;
}();

/// Rows of independent standard normal numbers, fp64.
inline at::Tensor gaussian(std::int64_t images, std::int64_t width, std::uint64_t seed) {
    return at::randn({images, width}, make_stream(seed, Purpose::method), at::kDouble);
}

/// For properties: 2 to 30 such rows of 1 to 20 numbers.
inline at::Tensor any_features(std::int64_t least = 2) {
    const auto images = *rc::gen::inRange<std::int64_t>(least, 30);
    return gaussian(images, *rc::gen::inRange<std::int64_t>(1, 20), *rc::gen::arbitrary<std::uint32_t>());
}

inline at::Tensor without_row(const at::Tensor& features, std::int64_t row) {
    return at::cat({features.narrow(0, 0, row), features.narrow(0, row + 1, features.size(0) - row - 1)});
}

inline at::Tensor shuffled(const at::Tensor& features, std::uint64_t seed) {
    return features.index_select(
        0, at::randperm(features.size(0), make_stream(seed, Purpose::method), at::kLong));
}

/// A random rotation [d, d].
inline at::Tensor rotation(std::int64_t width, std::uint64_t seed) {
    return std::get<0>(at::linalg_qr(gaussian(width, width, seed)));
}

/// Rows with these cosines [n, n], which may be singular.
inline at::Tensor with_cosines(const at::Tensor& cosines) {
    const auto [values, vectors] = at::linalg_eigh(cosines);
    return vectors * values.clamp_min(0).sqrt();
}

/// The same cosine between any two of n.
inline at::Tensor equal_cosines(std::int64_t n, double cosine) {
    return cosine * at::ones({n, n}, at::kDouble) + (1 - cosine) * at::eye(n, at::kDouble);
}

/// That the influence is the change of the statistic by each image: the jackknife's (n − 1)(value − value
/// without the image), to first order. `tolerance` is relative to the largest one.
inline void expect_jackknife(const at::Tensor& features,
                             const std::function<Estimate(const at::Tensor&)>& statistic, double tolerance) {
    const Estimate whole = statistic(features);
    ASSERT_TRUE(whole.influence.defined());
    const std::int64_t images = features.size(0);
    ASSERT_EQ(whole.influence.sizes(), at::IntArrayRef({images}));
    const double scale = whole.influence.abs().max().item<double>();
    EXPECT_NEAR(whole.influence.mean().item<double>(), 0, 1e-9 * (scale + 1e-9));
    at::Tensor changes = at::empty({images}, at::kDouble);
    for (std::int64_t i = 0; i < images; ++i) {
        changes[i] =
            static_cast<double>(images - 1) * (whole.value - statistic(without_row(features, i)).value);
    }
    changes -= changes.mean();
    EXPECT_LT((changes - whole.influence).abs().max().item<double>(), tolerance * scale)
        << at::stack({changes, whole.influence}, 1);
}

/// That the influence is the derivative by the weight of each image, for a statistic that copies of the whole
/// set do not change: of `copies` sets and one image more, the value differs by the influence over their
/// number.
inline void expect_derivative(const at::Tensor& features,
                              const std::function<Estimate(const at::Tensor&)>& statistic,
                              std::int64_t copies, double tolerance) {
    const Estimate whole = statistic(features);
    ASSERT_TRUE(whole.influence.defined());
    const at::Tensor many = features.repeat({copies, 1});
    const double value = statistic(many).value;
    const double scale = whole.influence.abs().max().item<double>();
    at::Tensor changes = at::empty({features.size(0)}, at::kDouble);
    for (std::int64_t i = 0; i < features.size(0); ++i) {
        const double more = statistic(at::cat({many, features.narrow(0, i, 1)})).value;
        changes[i] = static_cast<double>(many.size(0) + 1) * (more - value);
    }
    changes -= changes.mean();  // what the second derivative adds to all
    EXPECT_LT((changes - whole.influence).abs().max().item<double>(), tolerance * scale)
        << at::stack({changes, whole.influence}, 1);
}

}  // namespace gass::test
