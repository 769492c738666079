#include "measure/metric/result.h"

#include "core/optional_number.h"
#include "core/quote.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <variant>

namespace gass {
namespace {

Json value_of(const MetricParameter& parameter) {
    return std::visit([](const auto& value) { return Json(value); }, parameter.value);
}

std::string text_of(const MetricParameter& parameter) {
    const auto* const text = std::get_if<std::string>(&parameter.value);
    return text != nullptr ? *text : value_of(parameter).dump();
}

/// "k=5 comparison=<"
std::string parameters_of(const MetricResult& result) {
    std::vector<std::string> parts;
    for (const MetricParameter& one : result.parameters) parts.push_back(one.name + "=" + text_of(one));
    return fmt::format("{}", fmt::join(parts, " "));
}

/// Five digits are more than any of these metrics is worth, and few enough to read.
std::string rounded(double value) {
    return fmt::format("{:.5g}", value);
}

std::string name_of(const MetricResult& result) {
    const MetricParameter* order = result.find_parameter("order");
    const bool is_plain = order == nullptr || value_of(*order) == 1;
    return is_plain ? result.metric : fmt::format("{} (order {})", result.metric, text_of(*order));
}

Json to_json(const std::vector<UnreadableFile>& files) {
    Json json = Json::array();
    for (const UnreadableFile& file : files)
        json.push_back({{"file", file.file.string()}, {"reason", file.reason}});
    return json;
}

}  // namespace

Json to_json(const EncoderInfo& encoder) {
    Json json{{"encoder", encoder.name}};
    if (encoder.weights) json["weights"] = *encoder.weights;
    if (encoder.preprocessing) json["preprocessing"] = *encoder.preprocessing;
    return json;
}

Json to_json(const MetricResult& result) {
    Json json{{"metric", result.metric}, {"value", or_null(result.value)}, {"interval", nullptr}};
    if (result.interval) json["interval"] = {result.interval->low, result.interval->high};
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
    json.update(to_json(result.encoder));
    for (const MetricParameter& one : result.parameters) json[one.name] = value_of(one);
    if (!result.notes.empty()) json["notes"] = result.notes;
    return json;
}

Json to_json(const MeasureResult& result, const MeasureRequest& request) {
    Json json{{"results", Json::array()}};
    for (const MetricResult& one : result.results) json["results"].push_back(to_json(one));
    json["bootstrap"] = {{"resamples", request.bootstrap}, {"level", 0.95}, {"seed", request.metric_seed}};
    if (!request.features.empty()) {
        json["features"] = request.features;
        return json;
    }
    json["images"] = result.images;
    json["groups"] = result.groups;
    json["from_cache"] = result.from_cache;
    json["unreadable"] = to_json(result.unreadable);
    return json;
}

std::string to_csv(const std::vector<MetricResult>& results) {
    std::string out = fmt::format(
        "metric,value,low,high,std,n,groups,encoder,weights,preprocessing,parameters,notes,reason{}",
        kCsvLineEnd);
    for (const MetricResult& result : results) {
        const EncoderInfo& encoder = result.encoder;
        std::optional<double> low;
        std::optional<double> high;
        if (result.interval) {
            low = result.interval->low;
            high = result.interval->high;
        }
        out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}{}", result.metric, or_empty(result.value),
                           or_empty(low), or_empty(high), or_empty(result.deviation), result.images,
                           std::max<std::size_t>(result.groups.size(), 1), csv_field(encoder.name),
                           csv_field(encoder.weights.value_or("")),
                           csv_field(encoder.preprocessing.value_or("")), csv_field(parameters_of(result)),
                           csv_field(fmt::format("{}", fmt::join(result.notes, "; "))),
                           csv_field(result.reason), kCsvLineEnd);
    }
    return out;
}

std::vector<std::string> result_header() {
    return {"metric", "value", "95 % interval", "std", "images", "encoder"};
}

std::vector<std::string> result_row(const MetricResult& result) {
    const std::string interval = result.interval ? fmt::format("{} … {}", rounded(result.interval->low),
                                                               rounded(result.interval->high))
                                                 : "";
    return {name_of(result),
            result.value ? rounded(*result.value) : "none",
            interval,
            result.deviation ? rounded(*result.deviation) : "",
            result.groups.empty() ? std::to_string(result.images)
                                  : fmt::format("{} in {} groups", result.images, result.groups.size()),
            result.encoder.name};
}

}  // namespace gass
