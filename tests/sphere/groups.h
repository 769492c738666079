#pragma once

#include "tensor/random.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdint>

namespace gass::sphere::test {

/// Matrices this small gain nothing from a second thread, and wait for it where the machine is busy.
inline const bool kOneThread = [] {
    at::set_num_threads(1);
    return true;
}();

struct Group {
    at::Tensor embeddings;  // [B, d], unit
    at::Tensor prompt;      // [d], unit
};

inline at::Generator stream(std::uint64_t seed) {
    return make_stream(seed, Purpose::method);
}

inline at::Tensor unit(const at::Tensor& rows) {
    return rows / rows.norm(2, -1, true);
}

/// Images like those of one prompt in CLIP: scattered evenly around a centre, with a mean cosine between
/// them, and a prompt at cosine .3 to the centre. fp64
inline Group isotropic_group(std::int64_t images, std::int64_t width, double cosine, std::uint64_t seed) {
    const at::Generator generator = stream(seed);
    const at::Tensor centre = unit(at::randn({width}, generator, at::kDouble));
    const auto across = [&](std::int64_t rows) {
        const at::Tensor draws = at::randn({rows, width}, generator, at::kDouble);
        return unit(draws - draws.mv(centre).outer(centre));
    };
    return {std::sqrt(cosine) * centre + std::sqrt(1 - cosine) * across(images),
            0.3 * centre + std::sqrt(1 - 0.09) * across(1).select(0, 0)};
}

/// For properties: any such group of `least` images or more, in few dimensions or many. In two dimensions
/// images would often be equal.
inline Group any_group(std::int64_t least = 1, std::int64_t least_width = 3) {
    const auto images = *rc::gen::inRange<std::int64_t>(least, 13);
    const auto width = *rc::gen::inRange<std::int64_t>(least_width, 40);
    const double cosine = *rc::gen::inRange(0, 96) / 100.0;
    return isotropic_group(images, width, cosine, *rc::gen::arbitrary<std::uint32_t>());
}

inline at::Tensor any_order(std::int64_t count) {
    return at::randperm(count, stream(*rc::gen::arbitrary<std::uint32_t>()), at::kLong);
}

inline double distance(const at::Tensor& a, const at::Tensor& b) {
    return a.numel() == 0 ? 0.0 : (a - b).abs().max().item<double>();
}

/// How far rows are from being orthonormal.
inline double skewness(const at::Tensor& rows) {
    return distance(rows.matmul(rows.t()), at::eye(rows.size(0), rows.options()));
}

}  // namespace gass::sphere::test
