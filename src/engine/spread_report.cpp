#include "engine/spread_report.h"

#include "core/optional_number.h"
#include "guidance/tensors.h"
#include "metrics/similarity.h"
#include "metrics/vendi.h"
#include "sphere/axes.h"
#include "sphere/spread.h"
#include "tensor/random.h"

#include <ATen/ATen.h>

namespace gass {
namespace {

/// Of the paper: the candidates that Algorithm 1 chooses from.
constexpr std::int64_t kSppCandidates = 10;

/// The mean of 1 − cosine over all pairs; 0 for one image, which has none.
double mean_pairwise_distance(const at::Tensor& embeddings) {
    return embeddings.size(0) < 2 ? 0.0 : 1 - mean_pairwise_similarity(embeddings).value;
}

}  // namespace

std::optional<Spread> spread_report(const at::Tensor& embeddings, const at::Tensor& prompt,
                                    std::uint64_t seed) {
    if (!embeddings.isfinite().all().item<bool>() || !prompt.isfinite().all().item<bool>())
        return std::nullopt;
    const sphere::Basis basis =
        sphere::dominant_basis(embeddings, prompt, kSppCandidates, make_stream(seed, Purpose::method));
    const sphere::Spread spread = sphere::spread(embeddings, basis);
    const at::Tensor along = embeddings.mv(prompt);
    return Spread{.vendi = if_finite(vendi(embeddings)),
                  .pairwise = if_finite(mean_pairwise_distance(embeddings)),
                  .spp = if_finite(spread.total()),
                  .d_dep = if_finite(spread.dependent),
                  .d_ind = if_finite(spread.independent),
                  .clip_score = if_finite(along.mean().item<double>()),
                  .along = finite_numbers(along),
                  .across = finite_numbers(sphere::on_first_axis(embeddings, prompt)),
                  .target = {}};
}

}  // namespace gass
