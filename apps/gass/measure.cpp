#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "core/text.h"
#include "engine.h"
#include "interrupt.h"
#include "measure/metric/metric.h"
#include "measure/metric/result.h"
#include "output.h"
#include "picture_watch.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace gass::cli {
namespace {

std::vector<double> parse_orders(const std::string& list) {
    std::vector<double> orders;
    for (const std::string_view text : split(list, ',')) {
        const auto order =
            text == "inf" ? std::numeric_limits<double>::infinity() : parse_number<double>(text).value_or(-1);
        if (!(order >= 0))
            fail(ErrorCode::usage, "--order", "expected numbers from 0 up, or inf; got {}", in_quotes(text));
        orders.push_back(order);
    }
    return orders;
}

MeasureRequest request_of(const MeasureOptions& options, const Settings& settings) {
    MeasureRequest request = options.request;
    fill_in(request, options.pictures, settings);
    request.encoders = options.pictures.encoders;
    request.orders = parse_orders(options.orders);
    if (options.metrics) {
        const std::vector<std::string_view> names = split(*options.metrics, ',');
        request.metrics.assign(names.begin(), names.end());
    }
    return request;
}

MeasureResult measured(const MeasureRequest& request, const Settings& settings) {
    if (!request.features.empty()) return measure(request);
    catch_interrupt();
    PictureWatch watch(progress_mode(settings.text("progress")));
    return measure(request, watch.events());
}

/// At most so many of the table's rows; a line says how many more there are.
std::string text_of(const ResultTable& rows, std::size_t most = std::numeric_limits<std::size_t>::max()) {
    Table table(rows.front());
    const std::size_t shown = std::min(most, rows.size() - 1);
    for (std::size_t i = 1; i <= shown; ++i) table.add(rows[i]);
    const std::size_t more = rows.size() - 1 - shown;
    return table.text() + (more == 0 ? "" : fmt::format("and {} more: --csv and --json have all\n", more));
}

/// The results, and beside them what they are means of.
std::string tables_of(const std::vector<MetricResult>& results, bool per_image) {
    constexpr std::size_t kMostGroups = 40;
    std::string text = text_of(result_table(results));
    if (const ResultTable groups = group_table(results); groups.size() > 1)
        text += "\n" + text_of(groups, kMostGroups);
    if (!per_image) return text;
    const ResultTable images = image_table(results);
    return images.size() > 1 ? text + "\n" + text_of(images) : text;
}

/// What the table has no room for: how each encoder sees, and notes.
std::string remarks_on(const std::vector<MetricResult>& results) {
    std::vector<std::string> lines;
    const auto add = [&](std::string text) {
        if (std::ranges::find(lines, text) == lines.end()) lines.push_back(std::move(text));
    };
    for (const MetricResult& result : results) {
        const EncoderInfo& encoder = result.encoder;
        if (encoder.preprocessing) add(fmt::format("{}: {}", encoder.name, *encoder.preprocessing));
    }
    for (const MetricResult& result : results) {
        for (const std::string& note : result.notes)
            add(fmt::format("{} by {}: {}", result.metric, result.encoder.name, note));
    }
    std::string out;
    for (const std::string& text : lines) out += text + "\n";
    return out;
}

int status_of(const MeasureResult& measurement) {
    const std::vector<MetricResult>& results = measurement.results;
    const auto missing =
        std::ranges::count_if(results, [](const MetricResult& result) { return !result.value; });
    for (const MetricResult& result : results) {
        if (!result.value) log::error("[{}] {}", result.metric, result.reason);
    }
    if (missing == static_cast<std::ptrdiff_t>(results.size())) return exit_status(ErrorCode::usage);
    return missing == 0 && measurement.unreadable.empty() ? 0 : exit_status(ErrorCode::partial);
}

/// Of what was measured, nothing may be of single images: whoever asked for that should know.
void check_image_values(const MeasureOptions& options, const std::vector<MetricResult>& results) {
    if (!options.per_image) return;
    for (const MetricResult& result : results) {
        if (find_spec(result.metric)->has_image_values) return;
    }
    std::vector<std::string_view> names;
    for (const MetricSpec& spec : metric_specs()) {
        if (spec.has_image_values) names.push_back(spec.name);
    }
    log::warn("[--per-image] single images have {}, none of which was measured", fmt::join(names, ", "));
}

void show(const MeasureOptions& options, const MeasureRequest& request, const MeasureResult& measurement) {
    const std::vector<MetricResult>& results = measurement.results;
    if (options.csv) {
        write_stdout(to_csv(results, options.per_image));
    } else if (options.json) {
        write_json("measure/1", to_json(measurement, request));
    } else {
        const std::string remarks = remarks_on(results);
        write_stdout(tables_of(results, options.per_image) + (remarks.empty() ? "" : "\n" + remarks));
    }
}

}  // namespace

int measure_images(CommandLine& line, const MeasureOptions& options) {
    const Settings& settings = line.resolve_without_model();
    if (line.print_config()) return 0;
    if (options.json && options.csv) fail(ErrorCode::usage, "--json", "cannot be used together with --csv");
    const MeasureRequest request = request_of(options, settings);
    const MeasureResult measurement = measured(request, settings);
    show(options, request, measurement);
    check_image_values(options, measurement.results);
    return status_of(measurement);
}

}  // namespace gass::cli
