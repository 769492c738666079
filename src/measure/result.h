#pragma once

#include "core/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gass {

/// A metric's value for one group of images.
struct GroupValue {
    std::string name;
    std::int64_t images = 0;
    std::optional<double> value;
    std::string reason;  ///< why there is none
};

/// One number, with all that another person needs to get the same.
struct MetricResult {
    std::string metric;
    std::optional<double> value;
    std::optional<std::pair<double, double>> interval;  ///< 95 %, by bootstrap; none where that means nothing
    std::string reason;                                 ///< why there is no value
    std::int64_t images = 0;
    std::optional<double> deviation;   ///< over groups, if there are several
    std::vector<GroupValue> groups;    ///< if there are several and the metric is a mean over them
    Json encoder = Json::object();     ///< "encoder", "weights", "preprocessing"
    Json parameters = Json::object();  ///< "k", "order", "draws" and whatever else decides the value
    std::vector<std::string> notes;    ///< what a reader should know about the value
};

/// {"metric": …, "value": …, "interval": [low, high], …}; null stands for what there is not.
Json to_json(const MetricResult& result);

/// A header line and a line for each result.
std::string to_csv(const std::vector<MetricResult>& results);

/// The same for people: cells of a table whose header is `result_header()`. It has no room for reasons.
std::vector<std::string> result_header();
std::vector<std::string> result_row(const MetricResult& result);

}  // namespace gass
