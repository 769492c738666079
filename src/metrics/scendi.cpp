#include "metrics/scendi.h"

#include "core/fail.h"
#include "metrics/features.h"
#include "metrics/gram.h"
#include "tensor/random.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <tuple>

namespace gass {
namespace {

constexpr double kRidge = 1e-12;
constexpr double kLeastEigenvalue = 1e-10;
constexpr double kPrecision = std::numeric_limits<double>::epsilon();

/// [n, 2 m]
at::Tensor fourier_features(const at::Tensor& points, const at::Tensor& frequencies) {
    const at::Tensor angles = points.matmul(frequencies);
    return at::cat({angles.cos(), angles.sin()}, 1).div_(std::sqrt(static_cast<double>(frequencies.size(1))));
}

/// λ / (λ + ridge): how much of a direction of the texts' covariance is taken away. 0 where λ is mere
/// rounding, or where the pseudo-inverse of the reference, that of LAPACK's cut, leaves the direction out.
at::Tensor taken_shares(const at::Tensor& eigenvalues, std::int64_t feature_count) {
    constexpr double kRoundings = 16;
    const double largest = eigenvalues[-1].item<double>();
    const double cut = static_cast<double>(feature_count) * kPrecision * (largest + kRidge);
    const at::Tensor counts = (eigenvalues > kRoundings * kPrecision * largest)
                                  .logical_and(eigenvalues + kRidge > cut)
                                  .to(at::kDouble);
    return counts * eigenvalues / (eigenvalues + kRidge);
}

/// exp(−Σ λ ln(λ / Σλ)) of the eigenvalues and `zeros` more that are 0.
struct Entropy {
    at::Tensor log_shares;  // ln(λ / Σλ)
    double score;

    Entropy(const at::Tensor& eigenvalues, std::int64_t zeros) {
        const at::Tensor values = eigenvalues.clamp_min(kLeastEigenvalue);
        const double others = static_cast<double>(zeros) * kLeastEigenvalue;
        const double sum = values.sum().item<double>() + others;
        log_shares = (values / sum).log();
        score = std::exp(-values.dot(log_shares).item<double>() - others * std::log(kLeastEigenvalue / sum));
    }
};

at::Tensor eigenvalues_of(const at::Tensor& half, const at::Tensor& matrix) {
    const at::Tensor product = half.matmul(matrix).matmul(half);
    return at::linalg_eigvalsh((product + product.t()) / 2);
}

/// By matrices of images, for fewer images than features: they have the same eigenvalues but for zeros.
Scendi by_images(const at::Tensor& x, const at::Tensor& y) {
    const auto images = static_cast<double>(x.size(0));
    const std::int64_t zeros = x.size(1) - x.size(0);
    const auto [text_values, vectors] = at::linalg_eigh(x.matmul(x.t()).div_(images));
    const at::Tensor taken = taken_shares(text_values, x.size(1));
    const at::Tensor similarities = y.matmul(y.t()).div_(images);
    const auto root = [&, &all = vectors](const at::Tensor& shares) {
        return (all * shares.sqrt()).matmul(all.t());
    };
    const at::Tensor rest = root(1 - taken);
    const at::Tensor left_over = rest.matmul(similarities).matmul(rest);
    const auto [values, directions] = at::linalg_eigh((left_over + left_over.t()) / 2);
    const Entropy entropy(values, zeros);
    const at::Tensor energies = rest.matmul(directions).square() * (values.clamp_min(0) * images);
    return {estimate_of(entropy.score, energies.mv(entropy.log_shares) * -entropy.score),
            Entropy(eigenvalues_of(root(taken), similarities), zeros).score};
}

/// Calls `use(first, x, y)` with the Fourier features of a few texts and their images at a time: all of them
/// would need far more memory than the texts and images.
void in_blocks(const at::Tensor& texts, const at::Tensor& images, const at::Tensor& frequencies,
               const std::function<void(std::int64_t, const at::Tensor&, const at::Tensor&)>& use) {
    constexpr std::int64_t kRows = 1024;
    for (std::int64_t first = 0; first < images.size(0); first += kRows) {
        const std::int64_t rows = std::min(kRows, images.size(0) - first);
        use(first, fourier_features(texts.narrow(0, first, rows), frequencies),
            fourier_features(images.narrow(0, first, rows), frequencies));
    }
}

/// The means of the features' products, not centred; of texts and of images on and above the diagonal.
struct Covariances {
    at::Tensor of_texts;
    at::Tensor joint;
    at::Tensor of_images;

    Covariances(const at::Tensor& texts, const at::Tensor& images, const at::Tensor& frequencies)
        : of_texts(at::zeros({2 * frequencies.size(1), 2 * frequencies.size(1)}, at::kDouble)),
          joint(at::zeros_like(of_texts)),
          of_images(at::zeros_like(of_texts)) {
        in_blocks(texts, images, frequencies, [&](std::int64_t, const at::Tensor& x, const at::Tensor& y) {
            add_upper_products(of_texts, x);
            joint.addmm_(x.t(), y);
            add_upper_products(of_images, y);
        });
        const auto count = static_cast<double>(images.size(0));
        for (at::Tensor* each : {&of_texts, &joint, &of_images}) each->div_(count);
    }
};

/// By matrices of features, for fewer features than images.
Scendi by_features(const at::Tensor& texts, const at::Tensor& images, const at::Tensor& frequencies) {
    const Covariances covariances(texts, images, frequencies);
    const auto [text_values, vectors] = at::linalg_eigh(covariances.of_texts, "U");
    const at::Tensor taken = taken_shares(text_values, text_values.size(0));
    const at::Tensor inverse = at::where(taken > 0, 1 / (text_values + kRidge), at::zeros_like(taken));
    const at::Tensor joint = vectors.t().matmul(covariances.joint);
    const at::Tensor removed = joint.t().matmul(joint * inverse.unsqueeze(1));
    const auto [values, directions] = at::linalg_eigh(covariances.of_images - removed, "U");
    const Entropy entropy(values, 0);
    const at::Tensor explaining = vectors * inverse;
    at::Tensor contributions = at::empty({images.size(0)}, at::kDouble);
    in_blocks(texts, images, frequencies,
              [&, &axes = directions](std::int64_t first, const at::Tensor& x, const at::Tensor& y) {
                  const at::Tensor left_over = y - x.matmul(explaining).matmul(joint);
                  const at::Tensor energies = left_over.matmul(axes).square();
                  contributions.narrow(0, first, x.size(0)).copy_(energies.mv(entropy.log_shares));
              });
    return {estimate_of(entropy.score, contributions * -entropy.score),
            Entropy(at::linalg_eigvalsh(removed, "U"), 0).score};
}

}  // namespace

Scendi scendi(const at::Tensor& texts, const at::Tensor& images, const at::Tensor& frequencies) {
    const at::Tensor prompts = exact_features(texts, "the texts of Scendi");
    const at::Tensor points = exact_features(images, "the images of Scendi");
    const at::Tensor directions = exact_features(frequencies, "the frequencies of Scendi");
    check_same_width(points, "the images of Scendi", prompts, "the texts");
    if (prompts.size(0) != points.size(0) || directions.size(0) != points.size(1)) {
        fail(ErrorCode::usage, "Scendi", "expected one text for each of {} images, got {}", points.size(0),
             prompts.size(0));
    }
    if (points.size(0) >= 2 * directions.size(1)) return by_features(prompts, points, directions);
    return by_images(fourier_features(prompts, directions), fourier_features(points, directions));
}

Scendi scendi(const at::Tensor& texts, const at::Tensor& images, const ScendiOptions& options) {
    if (!(options.sigma > 0) || options.frequencies < 1) {
        fail(ErrorCode::usage, "Scendi", "expected a positive sigma and one frequency or more, got {} and {}",
             options.sigma, options.frequencies);
    }
    check_features(images, "the images of Scendi");
    const at::Tensor frequencies = at::randn({images.size(1), options.frequencies},
                                             make_stream(options.seed, Purpose::method), at::kDouble);
    return scendi(texts, images, frequencies / options.sigma);
}

}  // namespace gass
