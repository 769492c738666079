#include "measure/measurement.h"

#include "core/fail.h"
#include "features/feature_file.h"
#include "measure/metric/request.h"

#include <ATen/ATen.h>

namespace gass {

MeasureResult measure(const MeasureRequest& request, const MeasureEvents& events) {
    check_request(request);
    return request.features.empty() ? measure_pictures(request, events) : measure_given_features(request);
}

MetricOptions metric_options(const MeasureRequest& request) {
    MetricOptions options;
    options.orders = request.orders;
    options.k = request.k;
    options.inclusive = request.inclusive;
    options.spp.draws = request.draws;
    options.spp.seed = request.metric_seed;
    options.spp.resamples = request.bootstrap;
    options.kid.subsets = request.kid_subsets;
    options.kid.subset_size = request.kid_subset_size;
    options.inception.splits = request.inception_splits;
    options.scendi.seed = request.metric_seed;
    options.resamples = request.bootstrap;
    options.seed = request.metric_seed;
    return options;
}

void check_needs(const std::vector<Metric>& metrics, bool has_text, bool has_reference,
                 std::string_view text_source) {
    for (const Metric metric : metrics) {
        const MetricSpec& spec = spec_of(metric);
        if (spec.needs_text && !has_text)
            fail(ErrorCode::usage, SettingKey("metrics"), "{} needs the images' prompts: {}", spec.name,
                 text_source);
        if (spec.needs_reference && !has_reference)
            fail(ErrorCode::usage, SettingKey("metrics"), "{} needs something to compare with: `reference`",
                 spec.name);
    }
}

ReferencePlace reference_place(const MeasureRequest& request) {
    if (!request.reference_features.empty())
        return {request.reference_features, SettingKey("reference_features")};
    return {request.reference, SettingKey("reference")};
}

ReferenceFeatures read_reference(const std::string& file) {
    if (is_statistics_file(file)) return {file, {}, read_statistics(file)};
    return {file, {{"reference", read_features(file), {}}}, std::nullopt};
}

void check_dimensions(const ReferenceFeatures& reference, std::int64_t dimensions, std::string_view encoder,
                      SettingKey setting) {
    std::int64_t other = dimensions;
    if (reference.statistics) other = reference.statistics->mean.size(0);
    if (!reference.groups.empty()) other = reference.groups.front().images.size(1);
    if (other != dimensions)
        fail(ErrorCode::usage, setting,
             "its features have {} dimensions, those of {} have {}: they come from another network", other,
             encoder, dimensions);
}

}  // namespace gass
