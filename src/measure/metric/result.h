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

/// A header line, then a line for each result, for each of its groups (`group` names it) and, if wanted, for
/// each of its images (`file`).
std::string to_csv(const std::vector<MetricResult>& results, bool per_image = false);

/// The same for people: cells of a table, the first row its header. There is no room for reasons.
using ResultTable = std::vector<std::vector<std::string>>;
/// A row for each result.
ResultTable result_table(const std::vector<MetricResult>& results);
/// A row for each group and a column for each result that is a mean over groups; only the header if none is.
ResultTable group_table(const std::vector<MetricResult>& results);
/// A row for each image and a column for each result that is a mean of what images have; likewise.
ResultTable image_table(const std::vector<MetricResult>& results);

}  // namespace gass
