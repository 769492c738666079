#include "core/fail.h"
#include "core/log.h"
#include "engine.h"
#include "measurement.h"
#include "output.h"

#include <algorithm>

namespace gass::cli {
namespace {

std::string table_of(const std::vector<MetricResult>& results) {
    Table table(result_header());
    for (const MetricResult& result : results) table.add(result_row(result));
    return table.text();
}

/// What the table has no room for: how each encoder sees, and notes.
std::string remarks_on(const std::vector<MetricResult>& results) {
    std::vector<std::string> lines;
    const auto add = [&](std::string text) {
        if (std::ranges::find(lines, text) == lines.end()) lines.push_back(std::move(text));
    };
    for (const MetricResult& result : results) {
        if (result.encoder.contains("preprocessing"))
            add(fmt::format("{}: {}", result.encoder["encoder"].get<std::string>(),
                            result.encoder["preprocessing"].get<std::string>()));
    }
    for (const MetricResult& result : results) {
        for (const std::string& note : result.notes)
            add(fmt::format("{} by {}: {}", result.metric, result.encoder["encoder"].get<std::string>(),
                            note));
    }
    std::string out;
    for (const std::string& text : lines) out += text + "\n";
    return out;
}

int status_of(const std::vector<MetricResult>& results, bool all_were_read) {
    const auto missing =
        std::ranges::count_if(results, [](const MetricResult& result) { return !result.value; });
    for (const MetricResult& result : results) {
        if (!result.value) log::error("[{}] {}", result.metric, result.reason);
    }
    if (missing == static_cast<std::ptrdiff_t>(results.size())) return exit_status(ErrorCode::usage);
    return missing == 0 && all_were_read ? 0 : exit_status(ErrorCode::partial);
}

void show(const MeasureOptions& options, const Measurement& measurement) {
    const std::vector<MetricResult>& results = measurement.results;
    if (options.csv) {
        write_stdout(to_csv(results));
    } else if (options.json) {
        Json out{{"results", Json::array()}};
        for (const MetricResult& result : results) out["results"].push_back(to_json(result));
        out["bootstrap"] = {{"resamples", options.bootstrap}, {"level", 0.95}, {"seed", options.metric_seed}};
        out.update(measurement.account);
        write_stdout(shown(out));
    } else {
        const std::string remarks = remarks_on(results);
        write_stdout(table_of(results) + (remarks.empty() ? "" : "\n" + remarks));
    }
}

}  // namespace

int measure_images(CommandLine& line, const MeasureOptions& options) {
    const Settings& settings = line.resolve();
    if (line.print_config()) return 0;
    if (options.json && options.csv) fail(ErrorCode::usage, "--json", "cannot be used together with --csv");
    if (!options.reference.empty() && !options.reference_features.empty())
        fail(ErrorCode::usage, "--reference", "cannot be used together with --reference-features");
    const Measurement measurement =
        options.features.empty() ? measure_pictures(settings, options) : measure_given_features(options);
    show(options, measurement);
    return status_of(measurement.results, measurement.all_were_read);
}

}  // namespace gass::cli
