#include "core/log.h"
#include "core/optional_number.h"
#include "core/text.h"
#include "core/wording.h"
#include "engine.h"
#include "eval/making/evaluation.h"
#include "eval/report/report.h"
#include "eval/report/report_files.h"
#include "eval/report/report_words.h"
#include "eval/report/table.h"
#include "interrupt.h"
#include "output.h"
#include "page/shown.h"
#include "progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace gass::cli {
namespace {

std::vector<std::string> listed(const std::string& list) {
    std::vector<std::string> parts;
    for (const std::string_view part : split(list, ',')) {
        if (!part.empty()) parts.emplace_back(part);
    }
    return parts;
}

eval::EvaluationRequest evaluation_request(const EvalOptions& options) {
    eval::EvaluationRequest request{.suite = options.suite,
                                    .overrides = {.prompt_file = options.prompt_file,
                                                  .limit = static_cast<std::size_t>(options.limit),
                                                  .reference = options.reference,
                                                  .models = options.models,
                                                  .only_models = listed(options.only_models),
                                                  .only_methods = listed(options.only_methods)},
                                    .folder = options.output,
                                    .resume = options.resume,
                                    .report_only = options.report_only,
                                    .checks = options.assertions};
    if (!options.shard.empty()) request.shard = eval::parse_shard(options.shard);
    return request;
}

Json plan_json(const eval::EvaluationPlan& plan) {
    return {{"suite", plan.suite},
            {"folder", plan.folder.string()},
            {"models", plan.models},
            {"methods", plan.methods},
            {"prompts", plan.prompts},
            {"groups_of_prompt", plan.groups_of_prompt},
            {"groups", plan.groups},
            {"images", plan.images},
            {"groups_left", plan.groups_left},
            {"images_left", plan.images_left},
            {"evaluations_left", plan.evaluations_left},
            {"seconds_left", or_null(plan.seconds_left)}};
}

std::string plan_text(const eval::EvaluationPlan& plan) {
    std::string text = fmt::format("{}: {}, {}, {}, {} of each: {}, {}\nstill to make: {}, {}", plan.suite,
                                   counted(plan.models, "model"), counted(plan.methods, "method"),
                                   counted(plan.prompts, "prompt"),
                                   counted(static_cast<std::uint64_t>(plan.groups_of_prompt), "group"),
                                   counted(plan.groups, "group"), counted(plan.images, "image"),
                                   counted(plan.groups_left, "group"), counted(plan.images_left, "image"));
    if (plan.groups_left == 0) return text + "\n";
    text += "; " + counted(static_cast<std::uint64_t>(plan.evaluations_left), "network evaluation");
    if (plan.seconds_left) text += fmt::format(", about {:.0f} s by the last such sets", *plan.seconds_left);
    return text + "\n";
}

/// "0.123", with the second value of a split, a deviation where the layout has one, and a mark where the
/// difference to the baseline is beyond chance.
std::string cell_text(const eval::TableCell& cell, const eval::TableColumn& column,
                      eval::TableLayout layout) {
    std::string text = page::shown(cell.value, column.decimals);
    if (layout == eval::TableLayout::splits) return text + " → " + page::shown(cell.second, column.decimals);
    if (layout == eval::TableLayout::sources && cell.deviation)
        return text + " ± " + page::shown(cell.deviation, column.decimals);
    if (cell.sign != eval::Sign::none) text += cell.sign == eval::Sign::better ? " +" : " -";
    return text;
}

std::string table_text(const eval::ReportTable& table) {
    std::string text = table.title + "\n";
    // One below the other: models side by side would be too wide for most terminals.
    std::size_t first = 0;
    for (const eval::TableBlock& block : table.blocks) {
        std::vector<std::string> header{block.name.empty() ? table.corner : block.name};
        for (const eval::TableColumn& column : block.columns) header.push_back(column.name);
        Table lines(std::move(header));
        for (const eval::TableRow& row : table.rows) {
            std::vector<std::string> line{row.name};
            for (std::size_t c = 0; c < block.columns.size(); ++c)
                line.push_back(cell_text(row.cells[first + c], block.columns[c], table.layout));
            lines.add(std::move(line));
        }
        text += fmt::format("\n{}", lines.text());
        first += block.columns.size();
    }
    return text;
}

/// The tables as a terminal shows them, and where the rest is.
std::string report_summary(const std::filesystem::path& folder, const eval::Results& results) {
    std::string text;
    for (const eval::ReportTable& table : eval::report_tables(results)) text += table_text(table) + "\n";
    const std::string too_few = eval::too_few_prompts(results.suite);
    text += too_few.empty() ? "+ and - : better and worse than the baseline, with 95 % confidence (paired "
                              "bootstrap over prompts)\n"
                            : too_few + "\n";
    const std::size_t failed = results.failures.size();
    text += fmt::format("{} of {} made{}\n", results.done, counted(results.planned, "group"),
                        failed == 0 ? "" : fmt::format(", {} failed; --resume tries them again", failed));
    return text + fmt::format("{}: {}\n", folder.string(), fmt::join(eval::kReportFiles, ", "));
}

std::string shard_text(const eval::EvaluationResult& shard) {
    return fmt::format("{}: {} of this shard; gass eval without --shard gathers all\n", shard.folder.string(),
                       counted(shard.groups, "group"));
}

/// What came of the checks, a line for each.
std::string checks_summary(const std::vector<eval::Assertion>& checks) {
    std::string text;
    for (const eval::Assertion& check : checks)
        text += fmt::format("{}  {}  ({})\n", check.holds ? "holds" : "FAILS", check.text, check.explanation);
    return text;
}

/// What came of an evaluation, which is shown on stderr as it goes on.
eval::EvaluationResult evaluate(const eval::EvaluationRequest& request, const eval::SettingsOver& settings,
                                const ProgressMode& mode, eval::Communicator* job) {
    std::optional<Progress> progress;
    std::string shown_phase;
    const eval::EvaluationEvents events{
        .started = [&](const eval::Suite& suite) { progress.emplace(mode, suite.name); },
        .progress =
            [&](std::string_view phase, std::size_t done, std::size_t total) {
                if (phase != shown_phase) progress->start(phase, total);
                shown_phase = phase;
                progress->advance(done);
            },
        .failed =
            [&](const eval::Failure& failure) {
                progress->finish();
                log::error("[{}, {}, prompt {}] {}", failure.model, failure.method, failure.prompt,
                           failure.reason);
            },
        .settled =
            [&](std::size_t groups, const eval::RunTimes& times) {
                progress->finish();
                log::info("{} in {:.1f} s, {:.3f} s of them in the store", counted(groups, "group"),
                          times.all, times.store);
            },
        .should_stop = is_interrupted};
    return eval::evaluate(request, settings, events, job);
}

/// What the one process does that has the store.
int lead(const eval::EvaluationRequest& request, const EvalOptions& options, const CommandLine& line,
         eval::Communicator* job) {
    ProgressMode mode = ProgressMode::automatic;
    const auto settings = [&](const Json& object, std::string_view origin) {
        Settings resolved = line.resolve_over(object, origin);
        mode = progress_mode(resolved.text("progress"));
        return resolved;
    };
    if (options.dry_run) {
        const eval::EvaluationPlan plan = eval::plan_evaluation(request, settings, job);
        if (options.json) {
            write_json("eval-plan/1", plan_json(plan));
        } else {
            write_stdout(plan_text(plan));
        }
        return 0;
    }
    const eval::EvaluationResult result = evaluate(request, settings, mode, job);
    if (!result.results) {
        if (options.json) {
            write_json("eval-shard/1", {{"folder", result.folder.string()}, {"groups", result.groups}});
        } else {
            write_stdout(shard_text(result));
        }
        return 0;
    }
    const eval::Results& results = *result.results;
    write_stdout(options.json ? shown(eval::report_json(results)) : report_summary(result.folder, results));
    write_stderr(checks_summary(result.checks));
    if (!std::ranges::all_of(result.checks, &eval::Assertion::holds))
        return exit_status(ErrorCode::check_failed);
    return results.failures.empty() && results.done == results.planned ? 0 : exit_status(ErrorCode::partial);
}

}  // namespace

int evaluate_suite(CommandLine& line, const EvalOptions& options) {
    catch_interrupt();
    const eval::EvaluationRequest request = evaluation_request(options);
    const std::unique_ptr<eval::Communicator> job = request.shard ? nullptr : eval::open_communicator();
    if (job == nullptr) return lead(request, options, line, nullptr);
    if (job->rank() > 0) {
        const auto settings = [&](const Json& object, std::string_view origin) {
            return line.resolve_over(object, origin);
        };
        const auto refusal = eval::help_evaluation(request, settings, is_interrupted, *job);
        return refusal ? exit_status(*refusal) : 0;
    }
    // Whatever ends this process early must end the others, which wait for its orders.
    ErrorCode code = ErrorCode::failure;
    try {
        return lead(request, options, line, job.get());
    } catch (const Error& error) {
        log::error("{}", error.what());
        code = error.code();
    } catch (const std::exception& error) {
        log::error("{}", error.what());
    }
    job->abort(exit_status(code));
    return exit_status(code);
}

}  // namespace gass::cli
