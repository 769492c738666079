#pragma once

#include "measure/metric/metric.h"
#include "metrics/frechet.h"
#include "metrics/inception_score.h"
#include "metrics/kernel_distance.h"
#include "metrics/scendi.h"
#include "metrics/spp.h"

#include <gass/measure.h>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// From features to results. Which files and networks the features come from is not known here.
namespace gass {

/// What one encoder makes of a group of images.
struct GroupFeatures {
    std::string name;
    at::Tensor images;  ///< [n, d], as the network gives them: no metric relies on their length
    at::Tensor texts;   ///< [d] of the group's prompt, or [n, d] of each image's; undefined: none
    std::vector<std::filesystem::path> files = {};  ///< of the images, for results; none: they get no names
};

/// What images are compared with.
struct ReferenceFeatures {
    std::string name;                             ///< for results: the folder or file
    std::vector<GroupFeatures> groups;            ///< none if only statistics are known
    std::optional<FeatureStatistics> statistics;  ///< given in place of features; for fid alone
};

struct MetricOptions {
    std::vector<double> orders{1.0};  ///< of vendi
    std::int64_t k = 5;               ///< neighbours of precision, recall, density and coverage
    bool inclusive = false;           ///< a neighbour at just the radius counts, as in torch-fidelity
    SppOptions spp;
    KernelDistanceOptions kid;
    ScendiOptions scendi;
    InceptionScoreOptions inception;
    std::int64_t resamples = 1000;  ///< of the bootstrap; 0: no intervals
    std::uint64_t seed = 0;         ///< of everything that is drawn
};

/// The results of these metrics on one encoder's features, in their order. What cannot be computed, of one
/// image for instance, has a reason in place of a value. Features that are not finite throw model_invalid,
/// with their row. The features of `image_reward` are its scores, [n, 1], those of `inception_score` logits.
///
/// A metric is a mean over groups, except fid, kid, inception_score, irs and scendi, which look at all images
/// at once. Precision, recall, density and coverage go class by class where the reference has groups of the
/// same names, and leave the others out; without any such name both sides are taken as a whole, and that is
/// noted.
std::vector<MetricResult> measure_features(const std::vector<Metric>& metrics,
                                           const std::vector<GroupFeatures>& groups,
                                           const ReferenceFeatures& reference, const MetricOptions& options);

}  // namespace gass
