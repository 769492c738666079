#include "metrics/kernel_distance.h"

#include "core/fail.h"
#include "metrics/features.h"
#include "metrics/numpy_random.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gass {
namespace {

constexpr const char* kName = "KID";

/// The type whose rounding averages out: fp32, unless the features are finer or their cubes could overflow.
at::ScalarType computing_type(const at::Tensor& a, const at::Tensor& b) {
    constexpr double kLarge = 1e3;
    const auto fits = [](const at::Tensor& features) {
        return features.scalar_type() != at::kDouble && features.abs().max().item<double>() < kLarge;
    };
    return fits(a) && fits(b) ? at::kFloat : at::kDouble;
}

/// Adds the kernel of each row of `a` with each of `b` to the sums of both.
template <class Number>
void add_kernels(const at::Tensor& a, const at::Tensor& b, double* sums_of_a, double* sums_of_b) {
    const at::Tensor products = a.matmul(b.t());
    const auto* product = products.const_data_ptr<Number>();
    const Number gamma = Number{1} / static_cast<Number>(a.size(1));
    for (std::int64_t i = 0; i < a.size(0); ++i, product += b.size(0)) {
        double sum = 0;
        for (std::int64_t j = 0; j < b.size(0); ++j) {
            const Number base = product[j] * gamma + 1;
            const auto value = static_cast<double>(base * base * base);
            sum += value;
            sums_of_b[j] += value;
        }
        sums_of_a[i] += sum;
    }
}

void add_kernels(const at::Tensor& a, const at::Tensor& b, double* sums_of_a, double* sums_of_b) {
    if (a.scalar_type() == at::kDouble) return add_kernels<double>(a, b, sums_of_a, sums_of_b);
    add_kernels<float>(a, b, sums_of_a, sums_of_b);
}

at::Tensor kernels_with_itself(const at::Tensor& rows) {
    const at::Tensor base = rows.square().sum(1, /*keepdim=*/false, at::kDouble) / rows.size(1) + 1;
    return base * base * base;
}

/// How many rows meet all others at once: a quarter, so that few pairs are computed twice on the diagonal,
/// but no more than memory should hold.
std::int64_t rows_at_once(const at::Tensor& rows) {
    constexpr std::int64_t kBlocks = 4;
    constexpr std::int64_t kMostRows = 256;
    return std::min(kMostRows, (rows.size(0) + kBlocks - 1) / kBlocks);
}

/// For each row the mean kernel with the other rows; each pair is computed once, but for blocks on the
/// diagonal. [m]
at::Tensor means_with_others(const at::Tensor& rows) {
    const std::int64_t size = rows_at_once(rows);
    at::Tensor sums = at::zeros({rows.size(0)}, at::kDouble);
    at::Tensor ignored = at::zeros_like(sums);
    auto* sum = sums.mutable_data_ptr<double>();
    for (std::int64_t first = 0; first < rows.size(0); first += size) {
        const std::int64_t count = std::min(size, rows.size(0) - first);
        const std::int64_t after = first + count;
        const at::Tensor block = rows.narrow(0, first, count);
        add_kernels(block, block, sum + first, ignored.mutable_data_ptr<double>());
        if (after == rows.size(0)) break;
        add_kernels(block, rows.narrow(0, after, rows.size(0) - after), sum + first, sum + after);
    }
    return sums.sub_(kernels_with_itself(rows)).div_(static_cast<double>(rows.size(0) - 1));
}

/// For each row of `a` the mean kernel with those of `b`.
at::Tensor means_with(const at::Tensor& a, const at::Tensor& b) {
    at::Tensor sums = at::zeros({a.size(0)}, at::kDouble);
    at::Tensor ignored = at::zeros({b.size(0)}, at::kDouble);
    const std::int64_t size = rows_at_once(a);
    for (std::int64_t first = 0; first < a.size(0); first += size) {
        add_kernels(a.narrow(0, first, std::min(size, a.size(0) - first)), b,
                    sums.mutable_data_ptr<double>() + first, ignored.mutable_data_ptr<double>());
    }
    return sums.div_(static_cast<double>(b.size(0)));
}

/// Which images a subset is made of, and what came out.
struct Subset {
    at::Tensor generated;
    at::Tensor reference;
    double value = 0;
    at::Tensor slopes;  // of the generated images

    void compute(const at::Tensor& all_generated, const at::Tensor& all_references) {
        const at::Tensor own = all_generated.index_select(0, generated);
        const at::Tensor others = all_references.index_select(0, reference);
        const at::Tensor to_own = means_with_others(own);
        const at::Tensor to_others = means_with(own, others);
        value = (to_own - 2 * to_others + means_with_others(others)).mean().item<double>();
        slopes = 2 * (to_own - to_others);
    }
};

/// As many of thousands as threads keep busy with, so that their indices need little memory.
constexpr std::int64_t kSubsetsAtOnce = 64;

std::vector<Subset> computed_subsets(const at::Tensor& all_generated, const at::Tensor& all_references,
                                     std::int64_t count, const KernelDistanceOptions& options,
                                     NumpyRandom& random) {
    std::vector<Subset> subsets(static_cast<std::size_t>(count));
    for (Subset& subset : subsets) {
        subset.generated = random.choice(all_generated.size(0), options.subset_size);
        subset.reference = random.choice(all_references.size(0), options.subset_size);
    }
    at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            subsets[static_cast<std::size_t>(i)].compute(all_generated, all_references);
    });
    return subsets;
}

void check_options(const KernelDistanceOptions& options, const at::Tensor& generated,
                   const at::Tensor& reference) {
    const std::int64_t least = std::min(generated.size(0), reference.size(0));
    if (options.subset_size >= 2 && options.subset_size <= least && options.subsets >= 1) return;
    fail(ErrorCode::usage, kName,
         "expected one subset or more of 2 to {} images, as many as the smaller set has, got {} of {}; lower "
         "`kid_subset_size`",
         least, options.subsets, options.subset_size);
}

}  // namespace

KernelDistance kernel_distance(const at::Tensor& generated, const at::Tensor& reference,
                               const KernelDistanceOptions& options) {
    check_features(generated, "the generated images of KID");
    check_features(reference, "the reference images of KID");
    check_same_width(generated, "the generated images of KID", reference, "the reference");
    check_options(options, generated, reference);
    const at::ScalarType type = computing_type(generated, reference);
    const at::Tensor all_own = generated.detach().to(at::kCPU, type).contiguous();
    const at::Tensor all_others = reference.detach().to(at::kCPU, type).contiguous();
    NumpyRandom random(options.seed);
    std::vector<double> values;
    at::Tensor contributions = at::zeros({generated.size(0)}, at::kDouble);
    for (std::int64_t left = options.subsets; left > 0; left -= kSubsetsAtOnce) {
        for (const Subset& subset :
             computed_subsets(all_own, all_others, std::min(left, kSubsetsAtOnce), options, random)) {
            values.push_back(subset.value);
            contributions.index_add_(0, subset.generated, subset.slopes - subset.slopes.mean());
        }
    }
    const at::Tensor all = at::tensor(values, at::kDouble);
    const auto drawn = static_cast<double>(options.subsets * options.subset_size);
    return {estimate_of(all.mean().item<double>(),
                        contributions * (static_cast<double>(generated.size(0)) / drawn)),
            all.std(/*unbiased=*/false).item<double>()};
}

}  // namespace gass
