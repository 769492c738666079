#pragma once

#include "core/json.h"

#include <gass/measure.h>

#include <string>
#include <vector>

// Results of measurements as JSON, as CSV and for people.
namespace gass {

/// {"encoder": …, "weights": …, "preprocessing": …}, as far as they are known.
Json to_json(const EncoderInfo& encoder);
/// {"metric": …, "value": …, "interval": [low, high], …}; null stands for what there is not.
Json to_json(const MetricResult& result);
/// {"results": […], "bootstrap": {…}, …} of a measurement and what was asked for.
Json to_json(const MeasureResult& result, const MeasureRequest& request);

/// A header line and a line for each result.
std::string to_csv(const std::vector<MetricResult>& results);

/// The same for people: cells of a table whose header is `result_header()`. It has no room for reasons.
std::vector<std::string> result_header();
std::vector<std::string> result_row(const MetricResult& result);

}  // namespace gass
