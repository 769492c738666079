#include "metrics/irs.h"

#include "core/fail.h"
#include "metrics/distances.h"
#include "metrics/features.h"
#include "metrics/neighbours.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace gass {
namespace {

/// The root below 1 of G = v · exp(G − v), for v > 1.
double temme_root(double v) {
    double root = 0;
    // Newton's steps from the left of a convex function never overshoot.
    constexpr int kMostSteps = 100;
    for (int i = 0; i < kMostSteps; ++i) {
        const double power = v * std::exp(root - v);
        const double step = (power - root) / (1 - power);
        if (!(step > 0)) break;
        root += step;
    }
    return std::min(root, 1.0);
}

double log_factorial(double n) {
    return std::lgamma(n + 1);
}

/// The logarithm of Stirling's number of the second kind, the ways to part n things into k sets.
double log_stirling(double n, double k) {
    if (n == k) return 0;
    const double v = n / k;
    const double root = temme_root(v);
    return 0.5 * std::log((v - 1) / (v * (1 - root))) + (n - k) * std::log((v - 1) / (v - root)) +
           n * std::log(k) - k * std::log(n) + k * (1 - root) + log_factorial(n) - log_factorial(k) -
           log_factorial(n - k);
}

/// That n draws out of s show k distinct ones.
double probability(std::int64_t s, std::int64_t n, std::int64_t k) {
    if (k > s || k > n) return 0;
    const auto learned = static_cast<double>(s);
    const auto shown = static_cast<double>(k);
    const auto drawn = static_cast<double>(n);
    return std::exp(log_stirling(drawn, shown) + log_factorial(learned) - log_factorial(learned - shown) -
                    drawn * std::log(learned));
}

/// Σ of the probabilities of k, k + step, …, while they matter.
double tail(std::int64_t s, std::int64_t n, std::int64_t k, std::int64_t step) {
    constexpr double kNegligible = 1e-6;
    double sum = 0;
    for (std::int64_t shown = k; shown >= 1 && shown <= std::min(s, n); shown += step) {
        const double term = probability(s, n, shown);
        sum += term;
        if (term <= kNegligible) break;
    }
    return sum;
}

/// The first number in low … high that has a property which all later ones have; high + 1 if none has.
template <class Property>
std::int64_t first_with(std::int64_t low, std::int64_t high, Property has) {
    while (low <= high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (has(middle)) {
            high = middle - 1;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

}  // namespace

Irs retrieval_score_of(std::int64_t references, std::int64_t generated, std::int64_t retrieved) {
    if (retrieved < 1 || retrieved > std::min(references, generated)) {
        fail(ErrorCode::usage, "IRS",
             "expected 1 to {} retrieved images, as many as there are generated ones and references, got {}",
             std::min(references, generated), retrieved);
    }
    const auto shown = static_cast<double>(retrieved);
    const auto drawn = static_cast<double>(generated);
    // The likelihood has one peak: where s + 1 is no likelier than s. Without any image twice there is none,
    // and nothing speaks against all.
    const auto is_peak = [&](std::int64_t s) {
        const auto learned = static_cast<double>(s);
        return -std::log1p(-shown / (learned + 1)) - drawn * std::log1p(1 / learned) <= 0;
    };
    const std::int64_t likeliest =
        retrieved == generated ? references : first_with(retrieved, references - 1, is_peak);
    constexpr double kUnlikely = 0.05;
    const std::int64_t too_many = first_with(likeliest + 1, references, [&](std::int64_t s) {
        return tail(s, generated, retrieved, -1) < kUnlikely;
    });
    const std::int64_t least = first_with(retrieved, likeliest - 1, [&](std::int64_t s) {
        return tail(s, generated, retrieved, 1) >= kUnlikely;
    });
    const auto all = static_cast<double>(references);
    return {.references = references,
            .generated = generated,
            .retrieved = retrieved,
            .at_alpha = shown / all,
            .at_infinity = static_cast<double>(likeliest) / all,
            .interval = {static_cast<double>(least) / all, static_cast<double>(too_many - 1) / all}};
}

Irs image_retrieval_score(const at::Tensor& reference, const at::Tensor& generated) {
    check_features(reference, "the reference images of IRS");
    check_features(generated, "the generated images of IRS");
    check_same_width(reference, "the reference images of IRS", generated, "the generated images");
    const auto [references, queries] = points_of(reference, generated);
    std::unordered_set<std::int64_t> retrieved;
    for (const NearestRows::Candidate& nearest :
         kth_nearest(queries, references, 1, /*among_themselves=*/false)) {
        retrieved.insert(nearest.index);
    }
    return retrieval_score_of(reference.size(0), generated.size(0),
                              static_cast<std::int64_t>(retrieved.size()));
}

}  // namespace gass
