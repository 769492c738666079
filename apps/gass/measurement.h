#pragma once

#include "core/json.h"
#include "core/settings.h"
#include "engine.h"
#include "measure/measure.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gass::cli {

/// What gass measure found.
struct Measurement {
    std::vector<MetricResult> results;
    Json account = Json::object();  // "images", "groups", "from_cache", "unreadable"
    bool all_were_read = true;
};

Measurement measure_given_features(const MeasureOptions& options);
Measurement measure_pictures(const Settings& settings, const MeasureOptions& options);

// What both need.

MetricOptions metric_options(const MeasureOptions& options);

/// What there is to measure with.
struct Given {
    bool pairs;       // every group has two images or more
    bool text;        // every image has a prompt
    bool one_prompt;  // and those of a group have the same
    bool reference;   // images or features
};
/// Everything that can be measured without asking for more than was given.
std::vector<Metric> usual_metrics(const Given& given);

/// Throws usage for a metric that needs what there is not.
void check_needs(const std::vector<Metric>& metrics, bool has_text, bool has_reference,
                 std::string_view text_flag);

/// The file or folder to compare with, and the flag that names it; empty: none.
struct ReferencePlace {
    std::string path;
    std::string_view flag;
};
ReferencePlace reference_place(const MeasureOptions& options);

/// Features or statistics from a file in place of pictures.
ReferenceFeatures read_reference(const std::string& file);
/// Throws usage if the reference is of another network.
void check_dimensions(const ReferenceFeatures& reference, std::int64_t dimensions, std::string_view encoder,
                      std::string_view flag);

}  // namespace gass::cli
