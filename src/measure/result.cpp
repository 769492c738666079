#include "measure/result.h"

#include "core/optional_number.h"
#include "core/quote.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

namespace gass {
namespace {

std::string text_of(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// "k=5 comparison=<"
std::string parameters_of(const MetricResult& result) {
    std::vector<std::string> parts;
    for (const auto& [key, value] : result.parameters.items()) parts.push_back(key + "=" + text_of(value));
    return fmt::format("{}", fmt::join(parts, " "));
}

/// Five digits are more than any of these metrics is worth, and few enough to read.
std::string rounded(double value) {
    return fmt::format("{:.5g}", value);
}

std::string name_of(const MetricResult& result) {
    const auto order = result.parameters.find("order");
    const bool is_plain = order == result.parameters.end() || *order == 1;
    return is_plain ? result.metric : fmt::format("{} (order {})", result.metric, text_of(*order));
}

}  // namespace

Json to_json(const MetricResult& result) {
    Json json{{"metric", result.metric}, {"value", or_null(result.value)}, {"interval", nullptr}};
    if (result.interval) json["interval"] = {result.interval->first, result.interval->second};
    json["n"] = result.images;
    if (!result.reason.empty()) json["reason"] = result.reason;
    if (!result.groups.empty()) {
        json["std"] = or_null(result.deviation);
        Json& groups = json["groups"] = Json::array();
        for (const GroupValue& group : result.groups) {
            groups.push_back({{"name", group.name}, {"n", group.images}, {"value", or_null(group.value)}});
            if (!group.reason.empty()) groups.back()["reason"] = group.reason;
        }
    }
    json.update(result.encoder);
    json.update(result.parameters);
    if (!result.notes.empty()) json["notes"] = result.notes;
    return json;
}

std::string to_csv(const std::vector<MetricResult>& results) {
    std::string out = fmt::format(
        "metric,value,low,high,std,n,groups,encoder,weights,preprocessing,parameters,notes,reason{}",
        kCsvLineEnd);
    for (const MetricResult& result : results) {
        const auto of_encoder = [&](const char* key) {
            const auto found = result.encoder.find(key);
            return found == result.encoder.end() ? std::string() : csv_field(found->get<std::string>());
        };
        std::optional<double> low;
        std::optional<double> high;
        if (result.interval) std::tie(low, high) = *result.interval;
        out +=
            fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}{}", result.metric, or_empty(result.value),
                        or_empty(low), or_empty(high), or_empty(result.deviation), result.images,
                        std::max<std::size_t>(result.groups.size(), 1), of_encoder("encoder"),
                        of_encoder("weights"), of_encoder("preprocessing"), csv_field(parameters_of(result)),
                        csv_field(fmt::format("{}", fmt::join(result.notes, "; "))), csv_field(result.reason),
                        kCsvLineEnd);
    }
    return out;
}

std::vector<std::string> result_header() {
    return {"metric", "value", "95 % interval", "std", "images", "encoder"};
}

std::vector<std::string> result_row(const MetricResult& result) {
    const std::string interval = result.interval ? fmt::format("{} … {}", rounded(result.interval->first),
                                                               rounded(result.interval->second))
                                                 : "";
    return {name_of(result),
            result.value ? rounded(*result.value) : "none",
            interval,
            result.deviation ? rounded(*result.deviation) : "",
            result.groups.empty() ? std::to_string(result.images)
                                  : fmt::format("{} in {} groups", result.images, result.groups.size()),
            result.encoder.value("encoder", std::string())};
}

}  // namespace gass
