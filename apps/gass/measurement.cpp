#include "measurement.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "features/feature_file.h"

#include <ATen/ATen.h>

#include <limits>

namespace gass::cli {
namespace {

std::vector<double> parse_orders(const std::string& list) {
    std::vector<double> orders;
    for (const std::string_view text : split(list, ',')) {
        const auto order =
            text == "inf" ? std::numeric_limits<double>::infinity() : parse_number<double>(text).value_or(-1);
        if (!(order >= 0))
            fail(ErrorCode::usage, "--order", "expected numbers from 0 up, or inf; got {}", in_quotes(text));
        orders.push_back(order);
    }
    return orders;
}

}  // namespace

MetricOptions metric_options(const MeasureOptions& options) {
    MetricOptions result;
    result.orders = parse_orders(options.orders);
    result.k = options.k;
    result.inclusive = options.inclusive;
    result.spp.draws = options.draws;
    result.spp.seed = options.metric_seed;
    result.spp.resamples = options.bootstrap;
    result.kid.subsets = options.kid_subsets;
    result.kid.subset_size = options.kid_subset_size;
    result.scendi.seed = options.metric_seed;
    result.resamples = options.bootstrap;
    result.seed = options.metric_seed;
    return result;
}

std::vector<Metric> usual_metrics(const Given& given) {
    std::vector<Metric> metrics;
    if (given.one_prompt && given.pairs) metrics.push_back(Metric::spp);
    if (given.text) metrics.push_back(Metric::clip_score);
    metrics.push_back(Metric::vendi);
    if (given.pairs) metrics.push_back(Metric::pairwise);
    if (given.reference)
        for (const Metric metric : parse_metrics("prdc")) metrics.push_back(metric);
    return metrics;
}

void check_needs(const std::vector<Metric>& metrics, bool has_text, bool has_reference,
                 std::string_view text_flag) {
    for (const Metric metric : metrics) {
        const MetricSpec& spec = spec_of(metric);
        if (spec.needs_text && !has_text)
            fail(ErrorCode::usage, "--metrics", "{} needs the images' prompts: {}", spec.name, text_flag);
        if (spec.needs_reference && !has_reference)
            fail(ErrorCode::usage, "--metrics", "{} needs something to compare with: --reference", spec.name);
    }
}

ReferencePlace reference_place(const MeasureOptions& options) {
    if (!options.reference_features.empty()) return {options.reference_features, "--reference-features"};
    return {options.reference, "--reference"};
}

ReferenceFeatures read_reference(const std::string& file) {
    if (is_statistics_file(file)) return {file, {}, read_statistics(file)};
    return {file, {{"reference", read_features(file), {}}}, std::nullopt};
}

void check_dimensions(const ReferenceFeatures& reference, std::int64_t dimensions, std::string_view encoder,
                      std::string_view flag) {
    std::int64_t other = dimensions;
    if (reference.statistics) other = reference.statistics->mean.size(0);
    if (!reference.groups.empty()) other = reference.groups.front().images.size(1);
    if (other != dimensions)
        fail(ErrorCode::usage, flag,
             "its features have {} dimensions, those of {} have {}: they are of another network", other,
             encoder, dimensions);
}

}  // namespace gass::cli
