#include "measure/metric/request.h"

#include "core/fail.h"
#include "core/settings.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace gass {
namespace {

void check_range(std::int64_t value, const AllowedRange& allowed, std::string_view key) {
    if (value < allowed.least || value > allowed.most)
        fail(ErrorCode::usage, SettingKey(key), "expected {} to {}, got {}", allowed.least, allowed.most,
             value);
}

void check_setting(std::int64_t value, std::string_view key) {
    const SettingSpec& spec = *find_setting(key);
    check_range(value, {static_cast<std::int64_t>(spec.minimum), static_cast<std::int64_t>(spec.maximum)},
                key);
}

void check_encoders(std::span<const std::string> encoders) {
    if (std::ranges::find(encoders, "") != encoders.end())
        fail(ErrorCode::usage, SettingKey("encoder"), "a name is empty");
}

void check_pictures(std::span<const Image> pictures) {
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const Image& one = pictures[i];
        const std::uint64_t wanted = std::uint64_t{3} * one.width * one.height;
        if (one.rgb.size() != wanted)
            fail(ErrorCode::usage, fmt::format("pictures[{}]", i),
                 "expected 3 bytes for each of {}×{} pixels, got {}", one.width, one.height, one.rgb.size());
    }
}

bool has_features(const MeasureRequest& request) {
    return !request.features.empty();
}
bool has_features(const FeaturesRequest&) {
    return false;
}

/// What measuring and saving features have in common.
template <class Request>
void check_common(const Request& request) {
    if (!request.images.empty() && !request.pictures.empty())
        fail(ErrorCode::usage, "pictures", "cannot be used together with images");
    if (request.images.empty() && request.pictures.empty() && !has_features(request))
        fail(ErrorCode::usage, "gass", "no images are named: files, folders, patterns or a list of them");
    check_pictures(request.pictures);
    check_range(request.resize_first, kAllowedSides, "resize_first");
    check_setting(request.max_batch, "max_batch");
    check_setting(request.threads, "threads");
}

void check_given_features(const MeasureRequest& request) {
    const auto refuse = [](bool is_given, const char* key) {
        if (is_given) fail(ErrorCode::usage, SettingKey(key), "is about images; `features` has none");
    };
    refuse(!request.pictures.empty(), "pictures");
    refuse(!request.encoders.empty(), "encoder");
    refuse(request.resize_first > 0, "resize_first");
    refuse(request.pooled, "pooled");
    refuse(!request.cache, "no_cache");
    refuse(!request.prompt_file.empty(), "prompt_file");
    if (!request.images.empty()) fail(ErrorCode::usage, "images", "is about images; `features` has none");
    if (request.prompt)
        fail(ErrorCode::usage, SettingKey("prompt"),
             "needs a network to read it; `features` takes `text_features`");
}

}  // namespace

void check_request(const MeasureRequest& request) {
    if (!request.reference.empty() && !request.reference_features.empty())
        fail(ErrorCode::usage, SettingKey("reference"), "cannot be used together with `reference_features`");
    if (has_features(request)) {
        check_given_features(request);
    } else if (!request.text_features.empty()) {
        fail(ErrorCode::usage, SettingKey("text_features"), "belongs to `features`; images have a `prompt`");
    }
    check_common(request);
    check_encoders(request.encoders);
    if (request.orders.empty()) fail(ErrorCode::usage, SettingKey("order"), "expected one or more");
    for (const double order : request.orders) {
        if (!(order >= 0))
            fail(ErrorCode::usage, SettingKey("order"), "expected numbers from 0 up, or infinity, got {}",
                 order);
    }
    check_range(request.k, kAllowedNeighbours, "k");
    check_range(request.draws, kAllowedDraws, "draws");
    const auto most_seed = static_cast<std::uint64_t>(kAllowedMetricSeeds.most);
    if (request.metric_seed > most_seed)
        fail(ErrorCode::usage, SettingKey("metric_seed"), "expected at most {}, got {}", most_seed,
             request.metric_seed);
    check_range(request.kid_subsets, kAllowedKidSubsets, "kid_subsets");
    check_range(request.kid_subset_size, kAllowedKidSubsetSizes, "kid_subset_size");
    check_range(request.inception_splits, kAllowedInceptionSplits, "inception_splits");
    check_range(request.bootstrap, kAllowedResamples, "bootstrap");
}

void check_request(const FeaturesRequest& request) {
    check_common(request);
    check_encoders({&request.encoder, 1});
}

}  // namespace gass
