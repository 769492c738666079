#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace gass {

enum class Metric {
    spp,
    d_dep,
    d_ind,
    spp_pca,
    clip_score,
    clip_score_w,
    vendi,
    pairwise,
    mss,
    hypervolume,
    precision,
    recall,
    density,
    coverage,
    fid,
    kid,
    clean_fid,
    clean_kid,
    irs,
    scendi,
    image_reward,
};

struct MetricSpec {
    Metric metric;
    std::string_view name;  ///< as --metrics and results have it
    bool needs_text;        ///< the images' prompts
    bool needs_reference;   ///< other images to compare with
    bool needs_clean;       ///< pictures resized as clean-fid does
    bool more_is_better;    ///< to whoever wants images that differ, and match their prompt or the reference
    std::string_view help;
};

std::span<const MetricSpec> metric_specs();
const MetricSpec& spec_of(Metric metric);
/// The one of that name, or nullptr.
const MetricSpec* find_spec(std::string_view name);

/// "vendi,prdc": the metrics in this order, each once; "prdc" stands for its four. Throws usage, as
/// --metrics, with the names there are.
std::vector<Metric> parse_metrics(std::string_view list);

}  // namespace gass
