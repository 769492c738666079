#include "measure/metric/metric.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "core/wording.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>

namespace gass {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr std::string_view kFidEncoder = "inception-fid";
constexpr std::string_view kLpips = "lpips";

constexpr std::array kSpecs{
    MetricSpec{.metric = Metric::spp,
               .name = "spp",
               .needs_pairs = true,
               .needs_text = true,
               .needs_one_prompt = true,
               .is_usual = true,
               .range = {0, 4},
               .help = "the paper's spread on CLIP's sphere, D_dep + D_ind, along Algorithm 1's axis"},
    MetricSpec{.metric = Metric::d_dep,
               .name = "d_dep",
               .needs_pairs = true,
               .needs_text = true,
               .needs_one_prompt = true,
               .range = {0, 2},
               .help = "the first part of spp: spread along the prompt"},
    MetricSpec{.metric = Metric::d_ind,
               .name = "d_ind",
               .needs_pairs = true,
               .needs_text = true,
               .needs_one_prompt = true,
               .range = {0, 2},
               .help = "the second part of spp: spread across the prompt"},
    MetricSpec{.metric = Metric::spp_pca,
               .name = "spp_pca",
               .needs_pairs = true,
               .needs_text = true,
               .needs_one_prompt = true,
               .range = {0, 4},
               .help = "spp along the first principal axis"},
    MetricSpec{.metric = Metric::clip_score,
               .name = "clip_score",
               .needs_text = true,
               .is_usual = true,
               .has_image_values = true,
               .range = {-1, 1},
               .help = "mean cosine of images and their prompt"},
    MetricSpec{.metric = Metric::clip_score_w,
               .name = "clip_score_w",
               .needs_text = true,
               .has_image_values = true,
               .range = {0, 2.5},
               .help = "mean of 2.5 max(cosine, 0)"},
    MetricSpec{.metric = Metric::vendi,
               .name = "vendi",
               .is_usual = true,
               .takes_order = true,
               .range = {1, kNoLimit},
               .help = "how many different images there are, from 1 to n (--order)"},
    MetricSpec{.metric = Metric::pairwise,
               .name = "pairwise",
               .needs_pairs = true,
               .is_usual = true,
               .more_is_better = false,
               .range = {-1, 1},
               .help = "mean cosine of two images; in group.json and --target, 1 minus this"},
    MetricSpec{.metric = Metric::mss,
               .name = "mss",
               .more_is_better = false,
               .range = {0, 1},
               .help = "mean similarity score: pairwise with every image beside itself"},
    MetricSpec{.metric = Metric::hypervolume,
               .name = "hypervolume",
               .needs_pairs = true,
               .range = {-kNoLimit, 0},
               .help = "logarithm of the volume that the images span on the sphere"},
    MetricSpec{.metric = Metric::lpips,
               .name = "lpips",
               .needs_pairs = true,
               .only_kind = kLpips,
               .encoder = kLpips,
               .has_image_values = true,
               .range = {0, kNoLimit},
               .help = "mean LPIPS of two images: how different they look"},
    MetricSpec{.metric = Metric::precision,
               .name = "precision",
               .needs_reference = true,
               .is_usual = true,
               .takes_k = true,
               .range = {0, 1},
               .help = "share of the images that lie among the references (--k)"},
    MetricSpec{.metric = Metric::recall,
               .name = "recall",
               .needs_reference = true,
               .is_usual = true,
               .takes_k = true,
               .range = {0, 1},
               .help = "share of the references that lie among the images"},
    MetricSpec{.metric = Metric::density,
               .name = "density",
               .needs_reference = true,
               .is_usual = true,
               .takes_k = true,
               .range = {0, kNoLimit},
               .help = "how densely the references lie around the images"},
    MetricSpec{.metric = Metric::coverage,
               .name = "coverage",
               .needs_reference = true,
               .is_usual = true,
               .takes_k = true,
               .range = {0, 1},
               .help = "share of the references with an image nearby"},
    MetricSpec{.metric = Metric::fid,
               .name = "fid",
               .needs_reference = true,
               .encoder = kFidEncoder,
               .is_of_all = true,
               .more_is_better = false,
               .range = {0, kNoLimit},
               .help = "Fréchet distance to the reference, resized as pytorch-fid does"},
    MetricSpec{.metric = Metric::kid,
               .name = "kid",
               .needs_reference = true,
               .encoder = kFidEncoder,
               .is_of_all = true,
               .more_is_better = false,
               .help = "kernel distance to the reference"},
    MetricSpec{.metric = Metric::clean_fid,
               .name = "clean_fid",
               .needs_reference = true,
               .needs_clean = true,
               .only_kind = kFidEncoder,
               .encoder = kFidEncoder,
               .is_of_all = true,
               .more_is_better = false,
               .range = {0, kNoLimit},
               .help = "fid, resized as clean-fid does"},
    MetricSpec{.metric = Metric::clean_kid,
               .name = "clean_kid",
               .needs_reference = true,
               .needs_clean = true,
               .only_kind = kFidEncoder,
               .encoder = kFidEncoder,
               .is_of_all = true,
               .more_is_better = false,
               .help = "kid, resized as clean-fid does"},
    MetricSpec{.metric = Metric::inception_score,
               .name = "inception_score",
               .needs_classes = true,
               .only_kind = kFidEncoder,
               .encoder = kFidEncoder,
               .is_of_all = true,
               .range = {1, kNoLimit},
               .help = "how sure a classifier is of each image, and how many classes it finds"},
    MetricSpec{.metric = Metric::irs,
               .name = "irs",
               .needs_reference = true,
               .is_of_all = true,
               .range = {0, 1},
               .help = "image retrieval score: share of the references that the images reach"},
    MetricSpec{.metric = Metric::scendi,
               .name = "scendi",
               .needs_text = true,
               .is_of_all = true,
               .range = {1, kNoLimit},
               .help = "Vendi of what the prompts do not explain"},
    MetricSpec{.metric = Metric::image_reward,
               .name = "image_reward",
               .needs_text = true,
               .needs_reward = true,
               .encoder = "image-reward",
               .has_image_values = true,
               .help = "how well people would like the images for their prompt"},
};

constexpr bool specs_in_enum_order() {
    for (std::size_t i = 0; i < kSpecs.size(); ++i) {
        if (static_cast<std::size_t>(kSpecs[i].metric) != i) return false;
    }
    return true;
}
static_assert(specs_in_enum_order());

constexpr std::string_view kAllOfPrdc = "prdc";
constexpr std::array kPrdc{Metric::precision, Metric::recall, Metric::density, Metric::coverage};

}  // namespace

std::span<const MetricSpec> metric_specs() {
    return kSpecs;
}

const MetricSpec& spec_of(Metric metric) {
    return kSpecs[static_cast<std::size_t>(metric)];
}

const MetricSpec* find_spec(std::string_view name) {
    const auto* const spec = std::ranges::find(kSpecs, name, &MetricSpec::name);
    return spec == kSpecs.end() ? nullptr : spec;
}

std::vector<Metric> metrics_of(std::span<const std::string> names) {
    std::vector<Metric> metrics;
    const auto add = [&](Metric metric) {
        if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
    };
    for (const std::string& name : names) {
        if (name == kAllOfPrdc) {
            std::ranges::for_each(kPrdc, add);
            continue;
        }
        const MetricSpec* spec = find_spec(name);
        if (spec == nullptr) {
            std::vector<std::string_view> known{kAllOfPrdc};
            for (const MetricSpec& one : kSpecs) known.push_back(one.name);
            fail(ErrorCode::usage, SettingKey("metrics"), "there is no metric {}{}; there are {}",
                 in_quotes(name), did_you_mean(name, known), fmt::join(known, ", "));
        }
        add(spec->metric);
    }
    return metrics;
}

std::vector<Metric> parse_metrics(std::string_view list) {
    const std::vector<std::string_view> names = split(list, ',');
    return metrics_of(std::vector<std::string>(names.begin(), names.end()));
}

std::vector<Metric> usual_metrics(const Given& given) {
    std::vector<Metric> metrics;
    for (const MetricSpec& spec : kSpecs) {
        const bool is_possible = (given.pairs || !spec.needs_pairs) && (given.text || !spec.needs_text) &&
                                 (given.one_prompt || !spec.needs_one_prompt) &&
                                 (given.reference || !spec.needs_reference);
        if (spec.is_usual && is_possible) metrics.push_back(spec.metric);
    }
    return metrics;
}

}  // namespace gass
