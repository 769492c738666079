#include "core/fail.h"
#include "core/quote.h"
#include "features/feature_file.h"
#include "measure/measurement.h"

#include <ATen/ATen.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gass {
namespace {

at::Tensor read_text_features(const std::string& file, const at::Tensor& images) {
    const at::Tensor texts = read_features(file, /*vector_is_row=*/true);
    if (texts.size(1) != images.size(1) || (texts.size(0) != 1 && texts.size(0) != images.size(0)))
        fail(ErrorCode::usage, SettingKey("text_features"),
             "[{}, {}] does not fit the images' [{}, {}]: one row, or one for each", texts.size(0),
             texts.size(1), images.size(0), images.size(1));
    return texts.size(0) == 1 ? texts[0] : texts;
}

/// Features of different networks are no more comparable for having as many dimensions.
void check_same_network(const EncoderInfo& own, const EncoderInfo& other, const ReferencePlace& place) {
    const auto check = [&](std::string_view what, const std::optional<std::string>& ours,
                           const std::optional<std::string>& theirs) {
        if (ours && theirs && *ours != *theirs)
            fail(ErrorCode::usage, place.setting, "{} says {} {}, the features say {}", in_quotes(place.path),
                 what, in_quotes(*theirs), in_quotes(*ours));
    };
    check("weights", own.weights, other.weights);
    check("preprocessing", own.preprocessing, other.preprocessing);
}

}  // namespace

MeasureResult measure_given_features(const MeasureRequest& request) {
    const at::Tensor images = read_features(request.features);
    EncoderInfo encoder = describe_features(request.features);
    const ReferencePlace place = reference_place(request);
    ReferenceFeatures reference;
    if (!place.path.empty()) {
        reference = read_reference(place.path);
        check_dimensions(reference, images.size(1), request.features, place.setting);
        check_same_network(encoder, describe_features(place.path), place);
    }
    GroupFeatures group{"features", images, {}};
    for (std::int64_t i = 0; i < images.size(0); ++i)
        group.files.emplace_back(fmt::format("features[{}]", i));
    if (!request.text_features.empty()) group.texts = read_text_features(request.text_features, images);

    const bool has_text = group.texts.defined();
    const std::vector<Metric> metrics = !request.metrics.empty()
                                            ? metrics_of(request.metrics)
                                            : usual_metrics({.pairs = images.size(0) > 1,
                                                             .text = has_text,
                                                             .one_prompt = has_text && group.texts.dim() == 1,
                                                             .reference = !reference.groups.empty()});
    check_needs(metrics, has_text, !place.path.empty(), "`text_features`");
    for (const Metric metric : metrics) {
        const MetricSpec& spec = spec_of(metric);
        if (spec.needs_reward || !spec.only_kind.empty())
            fail(ErrorCode::usage, SettingKey("metrics"), "{} looks at pictures; `features` has none",
                 spec.name);
    }
    MeasureResult result;
    result.results = measure_features(metrics, {group}, reference, metric_options(request));
    result.images = static_cast<std::size_t>(images.size(0));
    result.groups = 1;
    if (encoder.name.empty()) encoder = {request.features, {}, {}};
    for (MetricResult& one : result.results) one.encoder = encoder;
    return result;
}

}  // namespace gass
