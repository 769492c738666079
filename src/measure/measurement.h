#pragma once

#include "measure/measure_features.h"
#include "measure/metric/metric.h"

#include <gass/error.h>
#include <gass/measure.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// The parts of gass::measure.
namespace gass {

MeasureResult measure_pictures(const MeasureRequest& request, const MeasureEvents& events);
MeasureResult measure_given_features(const MeasureRequest& request);

// What both need.

MetricOptions metric_options(const MeasureRequest& request);

/// Throws usage for a metric that needs what there is not.
void check_needs(const std::vector<Metric>& metrics, bool has_text, bool has_reference,
                 std::string_view text_source);

/// The file or folder to compare with, and the setting that names it; empty: none.
struct ReferencePlace {
    std::string path;
    SettingKey setting;
};
ReferencePlace reference_place(const MeasureRequest& request);

/// Features or statistics from a file in place of pictures.
ReferenceFeatures read_reference(const std::string& file);
/// Throws usage if the reference is of another network.
void check_dimensions(const ReferenceFeatures& reference, std::int64_t dimensions, std::string_view encoder,
                      SettingKey setting);

}  // namespace gass
