#include "compare/comparison.h"
#include "core/fail.h"
#include "core/log.h"
#include "core/wording.h"
#include "engine.h"
#include "engine/request.h"
#include "generation_events.h"
#include "guidance/method_grid.h"
#include "guidance/text/method_list.h"
#include "interrupt.h"
#include "io/set_folder.h"
#include "output.h"
#include "plan_line.h"
#include "progress.h"
#include "prompts.h"
#include "seeds.h"
#include "sets/compare_methods.h"

#include <memory>
#include <random>

namespace gass::cli {
namespace {

/// The methods asked for: those of --methods, else one that a preset, file or variable names beside plain
/// guidance, else the best known.
std::string methods_of(const Settings& settings, const CompareOptions& options) {
    if (options.methods) return *options.methods;
    if (settings.origin("method") != Settings().origin("method")) return "none," + settings.text("method");
    return "none,interval,cads,pg,spell,gass";
}

/// What the methods have in common. All start from the same seeds, so a random one is drawn here.
Request common_request(const CommandLine& line, const Settings& settings, const CompareOptions& options) {
    Request request = request_from(settings);
    if (options.seeds) {
        request.seeds = parse_seeds(*options.seeds);
        const auto count = static_cast<std::int64_t>(request.seeds.size());
        if (!line.has_flag("images")) request.images = count;
        if (count != request.images)
            fail(ErrorCode::usage, "--seeds", "{} for {}", counted(request.seeds.size(), "seed"),
                 counted(static_cast<std::uint64_t>(*request.images), "image"));
    } else if (*request.seed < 0) {
        request.seed = std::random_device()() % (kMaxSeed - kMaxSeeds);
    }
    return request;
}

std::string table_of(const Comparison& comparison) {
    Table table(comparison_header());
    for (std::vector<std::string>& row : comparison_rows(comparison)) table.add(std::move(row));
    return table.text();
}

/// What --dry-run shows: a line for each method.
int show_rows(const Engine& engine, const CompareOrder& order, const std::vector<ComparedRow>& rows,
              bool as_json) {
    Json methods = Json::array();
    std::string text = fmt::format("{}, each of them under {}:\n", counted(order.prompts.size(), "prompt"),
                                   counted(rows.size(), "method"));
    for (const ComparedRow& row : rows) {
        const PlanCost cost = engine.cost(row.plan);
        methods.push_back(
            {{"method", row.asked}, {"settings", row.plan.method()}, {"cost", cost_json(cost)}});
        text += fmt::format("{}: {}\n", row.asked, plan_line(row.plan, cost));
    }
    if (as_json)
        write_json("compare-plan/1", {{"prompts", order.prompts.size()}, {"methods", std::move(methods)}});
    else
        write_stdout(text);
    return 0;
}

}  // namespace

int compare_methods(CommandLine& line, const CompareOptions& options) {
    const Settings& settings = line.resolve();
    if (line.print_config()) return 0;
    CompareOrder order{
        .prompts = read_prompts(options.prompt, options.prompt_file, settings.text("negative_prompt")),
        .request = common_request(line, settings, options),
        .methods = {},
        .pictures = PictureOutput::from(settings)};
    std::optional<OutputFolder> output;
    if (!options.output.empty()) check_compare_folder(output.emplace(options.output).path());
    order.methods = split_method_list(methods_of(settings, options));
    if (!options.grid.empty()) order.methods = with_grid(order.methods, options.grid);

    catch_interrupt();
    const Engine engine(engine_options_from(settings));
    const bool can_measure = !engine.guide().empty();
    order.request.measure = can_measure;
    if (!can_measure)
        log::warn("[--guide] no CLIP model is named that could measure the sets: pictures and times only");
    const std::vector<ComparedRow> rows = rows_of(engine, order);
    if (options.dry_run) return show_rows(engine, order, rows, options.json);
    engine.load();

    if (!output)
        output.emplace(OutputFolder::numbered("gass-out", "compare-" + slug_of(order.prompts.front().text)));
    const std::filesystem::path& folder = output->path();
    std::unique_ptr<Progress> progress;
    CompareEvents events;
    events.should_stop = is_interrupted;
    events.watch = [&](const std::string& label) {
        progress = std::make_unique<Progress>(progress_mode(settings.text("progress")), label);
        return events_for(*progress);
    };
    events.ended = [&] { progress.reset(); };
    events.failed = [](const ListedPrompt& prompt, const std::string& method, const Error& error) {
        log::error("[{}, {}] {}", prompt.where, method, error.what());
    };
    const Comparison comparison = gass::compare_methods(engine, order, rows, *output, events);
    if (is_interrupted()) {
        log::error("{}", comparison.prompts.empty()
                             ? "interrupted before a set was made"
                             : fmt::format("interrupted; what was made is in {}", folder.string()));
        return exit_status(ErrorCode::interrupted);
    }
    if (options.json) {
        Json out{{"folder", folder.string()}};
        out.update(comparison_json(comparison));
        write_json("compare/1", out);
    } else {
        const std::string caution = comparison_caution(comparison);
        write_stdout(table_of(comparison) + (caution.empty() ? "" : "\n" + caution + "\n") +
                     fmt::format("\n{}: {} (the page), {}, {}, {}\n", folder.string(), kComparePage,
                                 kSheetFile, kCompareTable, kCompareJson));
    }
    return failures_of(comparison) == 0 ? 0 : exit_status(ErrorCode::partial);
}

}  // namespace gass::cli
