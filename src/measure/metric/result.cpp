#include "measure/metric/result.h"

#include "core/optional_number.h"
#include "core/quote.h"
#include "core/wording.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace gass {
namespace {

/// Not RFC 4180's: this goes to the standard output, where a carriage return would be escaped.
constexpr std::string_view kLineEnd = "\n";

Json value_of(const MetricParameter& parameter) {
    return std::visit([](const auto& value) { return Json(value); }, parameter.value);
}

std::string text_of(const MetricParameter& parameter) {
    const auto* const text = std::get_if<std::string>(&parameter.value);
    return text != nullptr ? *text : value_of(parameter).dump();
}

/// "k=5 comparison=<"; of a group its own numbers in place of those of all.
std::string parameters_of(const MetricResult& result, const std::vector<MetricParameter>& own = {}) {
    std::vector<std::string> parts;
    for (const MetricParameter& one : result.parameters) {
        const auto found = std::ranges::find(own, one.name, &MetricParameter::name);
        parts.push_back(one.name + "=" + text_of(found == own.end() ? one : *found));
    }
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

Json to_json(const std::optional<Interval>& interval) {
    return interval ? Json{interval->low, interval->high} : Json();
}

Json to_json(const GroupValue& group) {
    Json json{{"name", group.name},
              {"n", group.images},
              {"value", or_null(group.value)},
              {"interval", to_json(group.interval)}};
    if (!group.reason.empty()) json["reason"] = group.reason;
    for (const MetricParameter& one : group.parameters) json[one.name] = value_of(one);
    return json;
}

Json to_json(const ImageValue& image) {
    Json json{{"file", image.file.string()}};
    if (!image.group.empty()) json["group"] = image.group;
    json["value"] = or_null(image.value);
    return json;
}

/// What a line of CSV is about: all images, those of a group, or one.
struct CsvLine {
    std::optional<double> value;
    std::optional<Interval> interval = {};
    std::optional<double> deviation = {};
    std::int64_t images = 1;
    std::size_t groups = 1;
    std::string_view group = {};
    std::string file = {};
    std::string parameters;
    std::string notes = {};
    std::string_view reason = {};
};

void add_line(std::string& csv, const MetricResult& result, const CsvLine& line) {
    const EncoderInfo& encoder = result.encoder;
    std::optional<double> low;
    std::optional<double> high;
    if (line.interval) {
        low = line.interval->low;
        high = line.interval->high;
    }
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}{}", result.metric, or_empty(line.value),
                       or_empty(low), or_empty(high), or_empty(line.deviation), line.images, line.groups,
                       csv_field(line.group), csv_field(line.file), csv_field(encoder.name),
                       csv_field(encoder.weights.value_or("")), csv_field(encoder.preprocessing.value_or("")),
                       csv_field(line.parameters), csv_field(line.notes), csv_field(line.reason), kLineEnd);
}

/// What results are called beside each other: with their encoder only where several have measured the same.
std::vector<std::string> column_names(const std::vector<const MetricResult*>& results) {
    std::map<std::string, std::size_t> times;
    for (const MetricResult* one : results) ++times[name_of(*one)];
    std::vector<std::string> names;
    for (const MetricResult* one : results) {
        const std::string name = name_of(*one);
        names.push_back(times.at(name) > 1 ? name + " " + one->encoder.name : name);
    }
    return names;
}

std::string cell_of(const std::optional<double>& value) {
    return value ? rounded(*value) : "none";
}

/// Rows that several results have values for, a column for each result. A row that comes first with one
/// result is where that has it; those that only later ones have come behind.
class SideBySide {
  public:
    SideBySide(std::vector<std::string> header, std::size_t columns)
        : first_(header.size()), columns_(columns), rows_{std::move(header)} {}

    void name_columns(const std::vector<std::string>& names) {
        rows_.front().insert(rows_.front().end(), names.begin(), names.end());
    }
    void set(const std::string& key, const std::vector<std::string>& label, std::size_t column,
             std::string cell) {
        const auto [place, is_new] = places_.try_emplace(key, rows_.size());
        if (is_new) {
            rows_.push_back(label);
            rows_.back().resize(first_ + columns_);
        }
        rows_[place->second][first_ + column] = std::move(cell);
    }
    ResultTable take() { return std::move(rows_); }

  private:
    std::size_t first_;
    std::size_t columns_;
    ResultTable rows_;
    std::map<std::string, std::size_t> places_;
};

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
    Json json{{"metric", result.metric},
              {"value", or_null(result.value)},
              {"interval", to_json(result.interval)},
              {"n", result.images}};
    if (!result.reason.empty()) json["reason"] = result.reason;
    if (!result.groups.empty()) {
        json["std"] = or_null(result.deviation);
        Json& groups = json["groups"] = Json::array();
        for (const GroupValue& group : result.groups) groups.push_back(to_json(group));
    }
    if (!result.per_image.empty()) {
        Json& images = json["per_image"] = Json::array();
        for (const ImageValue& image : result.per_image) images.push_back(to_json(image));
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

std::string to_csv(const std::vector<MetricResult>& results, bool per_image) {
    std::string out = fmt::format(
        "metric,value,low,high,std,n,groups,group,file,encoder,weights,preprocessing,parameters,notes,reason{"
        "}",
        kLineEnd);
    for (const MetricResult& result : results) {
        add_line(out, result,
                 {.value = result.value,
                  .interval = result.interval,
                  .deviation = result.deviation,
                  .images = result.images,
                  .groups = std::max<std::size_t>(result.groups.size(), 1),
                  .parameters = parameters_of(result),
                  .notes = fmt::format("{}", fmt::join(result.notes, "; ")),
                  .reason = result.reason});
        for (const GroupValue& group : result.groups)
            add_line(out, result,
                     {.value = group.value,
                      .interval = group.interval,
                      .images = group.images,
                      .group = group.name,
                      .parameters = parameters_of(result, group.parameters),
                      .reason = group.reason});
        if (!per_image) continue;
        for (const ImageValue& image : result.per_image)
            add_line(out, result,
                     {.value = image.value,
                      .group = image.group,
                      .file = image.file.string(),
                      .parameters = parameters_of(result)});
    }
    return out;
}

ResultTable result_table(const std::vector<MetricResult>& results) {
    ResultTable rows{{"metric", "value", "95 % interval", "std", "images", "encoder"}};
    for (const MetricResult& result : results) {
        const std::string interval = result.interval ? fmt::format("{} … {}", rounded(result.interval->low),
                                                                   rounded(result.interval->high))
                                                     : "";
        rows.push_back({name_of(result), cell_of(result.value), interval,
                        result.deviation ? rounded(*result.deviation) : "",
                        result.groups.empty()
                            ? std::to_string(result.images)
                            : fmt::format("{} in {}", result.images, counted(result.groups.size(), "group")),
                        result.encoder.name});
    }
    return rows;
}

ResultTable group_table(const std::vector<MetricResult>& results) {
    std::vector<const MetricResult*> columns;
    for (const MetricResult& result : results) {
        if (!result.groups.empty()) columns.push_back(&result);
    }
    SideBySide table({"group", "images"}, columns.size());
    table.name_columns(column_names(columns));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        for (const GroupValue& group : columns[i]->groups)
            table.set(group.name, {group.name, std::to_string(group.images)}, i, cell_of(group.value));
    }
    return table.take();
}

ResultTable image_table(const std::vector<MetricResult>& results) {
    std::vector<const MetricResult*> columns;
    for (const MetricResult& result : results) {
        if (!result.per_image.empty()) columns.push_back(&result);
    }
    const bool has_groups = std::ranges::any_of(
        columns, [](const MetricResult* one) { return !one->per_image.front().group.empty(); });
    std::vector<std::string> header{"image"};
    if (has_groups) header.emplace_back("group");
    SideBySide table(std::move(header), columns.size());
    table.name_columns(column_names(columns));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        std::map<std::string, std::size_t> times;  // a file that is named twice has two rows
        for (const ImageValue& image : columns[i]->per_image) {
            const std::string name = fmt::format("{}\n{}", image.file.string(), image.group);
            std::vector<std::string> label{image.file.string()};
            if (has_groups) label.push_back(image.group);
            table.set(fmt::format("{}\n{}", name, times[name]++), label, i, cell_of(image.value));
        }
    }
    return table.take();
}

}  // namespace gass
