#pragma once

#include <gass/interval.h>

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

inline constexpr Interval kAnyNumber{-std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::infinity()};
/// An embedded CLIP.
inline constexpr std::string_view kUsualEncoder = "mini-clip";

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
    lpips,
    precision,
    recall,
    density,
    coverage,
    fid,
    kid,
    clean_fid,
    clean_kid,
    inception_score,
    irs,
    scendi,
    image_reward,
};

/// What a metric is, and all that has to be known of it besides how it is computed (measure_features.cpp).
struct MetricSpec {
    Metric metric;
    std::string_view name;          ///< as --metrics and results have it
    bool needs_pairs = false;       ///< two images or more in a group
    bool needs_text = false;        ///< the images' prompts
    bool needs_one_prompt = false;  ///< the same of all images in a group
    bool needs_reference = false;   ///< other images to compare with
    bool needs_reward = false;   ///< an ImageReward in place of an encoder; its features are scores, [n, 1]
    bool needs_clean = false;    ///< pictures resized as clean-fid does
    bool needs_classes = false;  ///< the logits of a classifier in place of features
    std::string_view only_kind = {};           ///< the one kind of encoder that can do it; empty: any
    std::string_view encoder = kUsualEncoder;  ///< the network if nobody names one
    bool is_of_all = false;                    ///< of all images at once, not a mean over groups
    bool is_usual = false;                     ///< measured if nobody says what, where there is what it needs
    bool takes_k = false;
    bool takes_order = false;
    bool has_image_values = false;  ///< a mean of what each image has, which results tell too
    bool more_is_better = true;     ///< to whoever wants sets that are diverse and match prompt or reference
    Interval range = kAnyNumber;    ///< that every value lies in
    std::string_view help = {};
};

std::span<const MetricSpec> metric_specs();
const MetricSpec& spec_of(Metric metric);
/// The one of that name, or nullptr.
const MetricSpec* find_spec(std::string_view name);

/// The metrics of these names in this order, each once; "prdc" stands for its four. Throws usage, as
/// --metrics, with the names there are.
std::vector<Metric> metrics_of(std::span<const std::string> names);
/// The same of "vendi,prdc".
std::vector<Metric> parse_metrics(std::string_view list);

/// What there is to measure with.
struct Given {
    bool pairs = false;       ///< every group has two images or more
    bool text = false;        ///< every image has a prompt
    bool one_prompt = false;  ///< and those of a group have the same
    bool reference = false;   ///< images or features
};
/// Everything that is usually measured and can be without asking for more than was given.
std::vector<Metric> usual_metrics(const Given& given);

}  // namespace gass
