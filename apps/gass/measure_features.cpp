#include "core/fail.h"
#include "core/quote.h"
#include "features/feature_file.h"
#include "measurement.h"

#include <ATen/ATen.h>

#include <filesystem>

namespace gass::cli {
namespace {

void check_flags(const MeasureOptions& options) {
    const PictureOptions& pictures = options.pictures;
    const auto refuse = [](bool is_given, std::string_view flag) {
        if (is_given) fail(ErrorCode::usage, flag, "is about images; --features has none");
    };
    refuse(!pictures.images.empty(), "images");
    refuse(!pictures.encoders.empty(), "--encoder");
    refuse(pictures.resize_first > 0, "--resize-first");
    refuse(pictures.pooled, "--pooled");
    refuse(pictures.no_cache, "--no-cache");
    refuse(!pictures.prompt_file.empty(), "--prompt-file");
    if (pictures.prompt)
        fail(ErrorCode::usage, "--prompt", "needs a network to read it; --features takes --text-features");
}

at::Tensor read_text_features(const std::string& file, const at::Tensor& images) {
    const at::Tensor texts = read_features(file, /*vector_is_row=*/true);
    if (texts.size(1) != images.size(1) || (texts.size(0) != 1 && texts.size(0) != images.size(0)))
        fail(ErrorCode::usage, "--text-features",
             "[{}, {}] does not fit the images' [{}, {}]: one row, or one for each", texts.size(0),
             texts.size(1), images.size(0), images.size(1));
    return texts.size(0) == 1 ? texts[0] : texts;
}

/// Features of different networks are no more comparable for having as many dimensions.
void check_same_network(const Json& own, const Json& other, const ReferencePlace& place) {
    for (const char* key : {"weights", "preprocessing"}) {
        if (own.contains(key) && other.contains(key) && own[key] != other[key])
            fail(ErrorCode::usage, place.flag, "{} says {} {}, the features say {}", in_quotes(place.path),
                 key, in_quotes(other[key].get<std::string>()), in_quotes(own[key].get<std::string>()));
    }
}

}  // namespace

Measurement measure_given_features(const MeasureOptions& options) {
    check_flags(options);
    const MetricOptions how = metric_options(options);
    const at::Tensor images = read_features(options.features);
    Json encoder = describe_features(options.features);
    const ReferencePlace place = reference_place(options);
    ReferenceFeatures reference;
    if (!place.path.empty()) {
        reference = read_reference(place.path);
        check_dimensions(reference, images.size(1), options.features, place.flag);
        check_same_network(encoder, describe_features(place.path), place);
    }
    GroupFeatures group{"features", images, {}};
    if (!options.text_features.empty()) group.texts = read_text_features(options.text_features, images);

    const bool has_text = group.texts.defined();
    const std::vector<Metric> metrics = options.metrics
                                            ? parse_metrics(*options.metrics)
                                            : usual_metrics({.pairs = images.size(0) > 1,
                                                             .text = has_text,
                                                             .one_prompt = has_text && group.texts.dim() == 1,
                                                             .reference = !reference.groups.empty()});
    check_needs(metrics, has_text, !place.path.empty(), "--text-features");
    for (const Metric metric : metrics) {
        if (metric == Metric::image_reward || spec_of(metric).needs_clean)
            fail(ErrorCode::usage, "--metrics", "{} looks at pictures; --features has none",
                 spec_of(metric).name);
    }
    Measurement measurement{.results = measure_features(metrics, {group}, reference, how)};
    if (!encoder.contains("encoder")) encoder = {{"encoder", options.features}};
    for (MetricResult& result : measurement.results) result.encoder = encoder;
    measurement.account = {{"features", options.features}};
    return measurement;
}

}  // namespace gass::cli
