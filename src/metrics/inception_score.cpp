#include "metrics/inception_score.h"

#include "core/fail.h"
#include "metrics/features.h"
#include "metrics/numpy_random.h"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

namespace gass {
namespace {

/// What each image of a split tells of its class that the split does not: KL(p(y|x) ‖ p(y)), [n].
at::Tensor divergences(const at::Tensor& logits) {
    const at::Tensor log_classes = at::log_softmax(logits, 1);
    const at::Tensor log_mean = log_classes.logsumexp(0) - std::log(static_cast<double>(logits.size(0)));
    return (log_classes.exp() * (log_classes - log_mean)).sum(1);
}

}  // namespace

InceptionScore inception_score(const at::Tensor& logits, const InceptionScoreOptions& options) {
    const at::Tensor rows = exact_features(logits, "the logits of the inception score");
    const std::int64_t images = rows.size(0);
    const std::int64_t splits = options.splits;
    if (splits < 1 || splits > images)
        fail(ErrorCode::usage, "inception score",
             "it needs an image for each of {} splits, got {}; `inception_splits` is fewer", splits, images);
    const at::Tensor order = NumpyRandom(options.seed).choice(images, images);
    const at::Tensor shuffled = rows.index_select(0, order);
    std::vector<double> scores;
    at::Tensor contributions = at::zeros({images}, at::kDouble);
    for (std::int64_t split = 0; split < splits; ++split) {
        const std::int64_t first = split * images / splits;
        const std::int64_t count = (split + 1) * images / splits - first;
        const at::Tensor each = divergences(shuffled.narrow(0, first, count));
        const at::Tensor mean = each.mean();
        scores.push_back(mean.exp().item<double>());
        // d exp(mean) = exp(mean) d mean, where the split's own mean changes nothing to first order; and of
        // all images a split has but its share.
        const double share = static_cast<double>(images) / static_cast<double>(splits * count);
        contributions.index_copy_(0, order.narrow(0, first, count), share * scores.back() * (each - mean));
    }
    const at::Tensor all = at::tensor(scores, at::kDouble);
    return {estimate_of(all.mean().item<double>(), contributions),
            all.std(/*unbiased=*/false).item<double>()};
}

}  // namespace gass
