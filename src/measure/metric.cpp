#include "measure/metric.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace gass {
namespace {

constexpr std::array kSpecs{
    MetricSpec{Metric::spp, "spp", true, false, false, true,
               "the paper's spread on CLIP's sphere, D_dep + D_ind, along Algorithm 1's axis"},
    MetricSpec{Metric::d_dep, "d_dep", true, false, false, true, "its first part: spread along the prompt"},
    MetricSpec{Metric::d_ind, "d_ind", true, false, false, true, "its second part: spread across it"},
    MetricSpec{Metric::spp_pca, "spp_pca", true, false, false, true, "spp along the first principal axis"},
    MetricSpec{Metric::clip_score, "clip_score", true, false, false, true,
               "mean cosine of images and their prompt"},
    MetricSpec{Metric::clip_score_w, "clip_score_w", true, false, false, true, "mean of 2.5 max(cosine, 0)"},
    MetricSpec{Metric::vendi, "vendi", false, false, false, true,
               "how many different images there are, from 1 to n (--order)"},
    MetricSpec{Metric::pairwise, "pairwise", false, false, false, false,
               "mean cosine of two images; group.json and --target have 1 less this"},
    MetricSpec{Metric::mss, "mss", false, false, false, false,
               "mean similarity score: pairwise with every image beside itself"},
    MetricSpec{Metric::hypervolume, "hypervolume", false, false, false, true,
               "logarithm of the volume that the images span on the sphere"},
    MetricSpec{Metric::precision, "precision", false, true, false, true,
               "images that lie among the reference (--k)"},
    MetricSpec{Metric::recall, "recall", false, true, false, true, "references that lie among the images"},
    MetricSpec{Metric::density, "density", false, true, false, true,
               "how thick the reference is around the images"},
    MetricSpec{Metric::coverage, "coverage", false, true, false, true, "references with an image nearby"},
    MetricSpec{Metric::fid, "fid", false, true, false, false,
               "Fréchet distance to the reference, resized as pytorch-fid does"},
    MetricSpec{Metric::kid, "kid", false, true, false, false, "kernel distance to the reference"},
    MetricSpec{Metric::clean_fid, "clean_fid", false, true, true, false, "fid, resized as clean-fid does"},
    MetricSpec{Metric::clean_kid, "clean_kid", false, true, true, false, "kid, resized as clean-fid does"},
    MetricSpec{Metric::irs, "irs", false, true, false, true,
               "image retrieval score: share of the reference that the images reach"},
    MetricSpec{Metric::scendi, "scendi", true, false, false, true,
               "Vendi of what the prompts do not explain"},
    MetricSpec{Metric::image_reward, "image_reward", true, false, false, true,
               "how well people would like the images for their prompt"},
};

constexpr bool specs_stand_at_their_metric() {
    for (std::size_t i = 0; i < kSpecs.size(); ++i) {
        if (static_cast<std::size_t>(kSpecs[i].metric) != i) return false;
    }
    return true;
}
static_assert(specs_stand_at_their_metric());

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

std::vector<Metric> parse_metrics(std::string_view list) {
    std::vector<Metric> metrics;
    const auto add = [&](Metric metric) {
        if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
    };
    for (const std::string_view name : split(list, ',')) {
        if (name == kAllOfPrdc) {
            std::ranges::for_each(kPrdc, add);
            continue;
        }
        const MetricSpec* spec = find_spec(name);
        if (spec == nullptr) {
            std::vector<std::string_view> names{kAllOfPrdc};
            for (const MetricSpec& known : kSpecs) names.push_back(known.name);
            fail(ErrorCode::usage, "--metrics", "there is no metric {}; there are {}", in_quotes(name),
                 fmt::join(names, ", "));
        }
        add(spec->metric);
    }
    return metrics;
}

}  // namespace gass
