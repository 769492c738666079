#include "core/fail.h"
#include "core/log.h"
#include "core/text.h"
#include "engine.h"
#include "engine/device.h"
#include "eval/group_maker.h"
#include "eval/job.h"
#include "eval/plan.h"
#include "eval/runner.h"
#include "eval/scoring.h"
#include "eval_output.h"
#include "interrupt.h"
#include "output.h"
#include "progress.h"

#include <ATen/DeviceAccelerator.h>

#include <algorithm>
#include <thread>

namespace gass::cli {
namespace {

namespace fs = std::filesystem;
using eval::Suite;

std::vector<std::string> listed(const std::string& list) {
    std::vector<std::string> parts;
    for (const std::string_view part : split(list, ',')) {
        if (!part.empty()) parts.emplace_back(part);
    }
    return parts;
}

Suite read_suite_of(const EvalOptions& options) {
    if (options.suite.empty())
        fail(ErrorCode::usage, "gass eval", "which suite? gass eval --list shows those there are");
    return eval::read_suite(eval::find_suite(options.suite),
                            {.prompt_file = options.prompt_file,
                             .limit = static_cast<std::size_t>(options.limit),
                             .reference = options.reference,
                             .models = options.models,
                             .only_models = listed(options.only_models),
                             .only_methods = listed(options.only_methods)});
}

/// Which part of the machine this process takes, where it is one of several.
struct Share {
    int index = 0;
    int count = 1;
};

/// The settings of a model of the suite, under what the user says.
Settings settings_of(const CommandLine& line, const Suite& suite, const eval::SuiteModel& model,
                     const Share& share) {
    Json object = suite.settings;
    object.update(model.settings);
    Settings settings = line.resolve_over(object, fmt::format("suite {}, model {}", suite.name, model.id));
    if (settings.text("model") != model.settings.at("model").get<std::string>())
        fail(ErrorCode::usage, settings.origin("model"),
             "a suite names its own models; --model {}=MODEL replaces one", model.id);
    if (share.count == 1) return settings;
    const auto set = [&](std::string_view key, const std::string& text) {
        settings.set_text(SettingLayer::flag, *find_setting(key), text, "the process's share of the machine");
    };
    const std::string device = settings.text("device");
    const bool on_any_gpu = (device == "auto" || device == "cuda") && !find_device("auto").is_cpu();
    if (on_any_gpu) set("device", fmt::format("cuda:{}", share.index % at::accelerator::deviceCount()));
    if (settings.find("threads")->get<std::int64_t>() == 0) {
        const int cores = static_cast<int>(std::thread::hardware_concurrency());
        set("threads", std::to_string(std::max(cores / share.count, 1)));
    }
    return settings;
}

/// A suite with everything opened and checked that it needs.
struct Prepared {
    Suite suite;
    std::vector<eval::PreparedModel> models = {};
    nn::Placement looking = {};  // metrics are compared across machines: fp32 everywhere
    ProgressMode progress = ProgressMode::automatic;
    std::vector<eval::WorkItem> items = {};
};

Prepared prepare(const CommandLine& line, const EvalOptions& options, const Share& share) {
    Prepared prepared{.suite = read_suite_of(options)};
    const Suite& suite = prepared.suite;
    for (const std::string& text : options.assertions) eval::check_assertion(text, suite);
    std::vector<std::vector<eval::Recipe>> recipes;
    for (std::size_t i = 0; i < suite.models.size(); ++i) {
        const Settings settings = settings_of(line, suite, suite.models[i], share);
        prepared.models.push_back(eval::prepare_model(suite, i, settings));
        recipes.push_back(prepared.models.back().recipes);
        prepared.looking = {.dtype = at::kFloat, .device = find_device(settings.text("device"))};
        prepared.progress = progress_mode(settings.text("progress"));
    }
    prepared.items = eval::plan_of(suite, recipes);
    if (!options.shard.empty())
        prepared.items = eval::shard_of(suite, prepared.items, eval::parse_shard(options.shard));
    return prepared;
}

/// The pictures that the report shows are kept whatever the suite says.
bool keeps_pictures(const Suite& suite, const eval::WorkItem& item) {
    return suite.keeps_pictures || (item.prompt < suite.samples && item.group == 0);
}

std::unique_ptr<eval::GroupMaker> make_maker(const Prepared& prepared) {
    return std::make_unique<eval::EngineGroupMaker>(
        prepared.suite, prepared.models, prepared.looking,
        [&suite = prepared.suite](const eval::WorkItem& item) { return keeps_pictures(suite, item); },
        is_interrupted);
}

fs::path folder_of_run(const EvalOptions& options, const Suite& suite) {
    const fs::path folder =
        options.output.empty() ? fs::path("gass-out") / ("eval-" + suite.name) : fs::path(options.output);
    if (options.shard.empty()) return folder;
    const eval::Shard shard = eval::parse_shard(options.shard);
    return folder / fmt::format("shard-{}-of-{}", shard.index, shard.count);
}

std::string plan_text(const Prepared& prepared) {
    const Suite& suite = prepared.suite;
    std::size_t images = 0;
    for (const eval::WorkItem& item : prepared.items)
        images += static_cast<std::size_t>(prepared.models[item.model].recipes[item.method].images);
    return fmt::format("{}: {} models, {} methods, {} prompts, {} group{} of each: {} groups, {} images\n",
                       suite.name, suite.models.size(), suite.methods.size(), suite.prompts.size(),
                       suite.groups, suite.groups == 1 ? "" : "s", prepared.items.size(), images);
}

/// What shards have made in folders below this one.
void gather_shards(eval::Store& store) {
    std::vector<fs::path> shards;
    for (const fs::directory_entry& entry : fs::directory_iterator(store.folder())) {
        if (entry.path().filename().string().starts_with("shard-") && eval::Store::exists(entry.path()))
            shards.push_back(entry.path());
    }
    std::ranges::sort(shards);
    for (const fs::path& shard : shards) {
        eval::Store other(shard);
        const std::size_t taken = store.take_over(other);
        if (taken > 0) log::info("{} groups from {}", taken, shard.filename().string());
    }
}

void make_groups(const Prepared& prepared, eval::Store& store, std::vector<std::string> encoders,
                 eval::RemoteWorkers* others) {
    eval::WorkQueue queue(store, prepared.items, std::move(encoders));
    Progress progress(prepared.progress, prepared.suite.name);
    if (queue.total() > 0) progress.start("groups", queue.total());
    eval::LocalWorker own(prepared.items, [&] { return make_maker(prepared); });
    const Suite& suite = prepared.suite;
    const eval::RunTimes times = eval::run(
        suite, prepared.items, store, queue, own, others,
        {.progress = [&](std::size_t settled, std::size_t) { progress.advance(settled); },
         .failed =
             [&](const eval::WorkItem& item, const std::string& reason) {
                 progress.finish();
                 log::error("[{}, {}, prompt {}] {}", suite.models[item.model].id,
                            suite.methods[item.method].id, suite.prompts[item.prompt].index, reason);
             },
         .should_stop = is_interrupted});
    progress.finish();
    if (queue.total() > 0)
        log::info("{} groups in {:.1f} s, {:.3f} s of them in the store", queue.total(), times.all,
                  times.store);
}

eval::Results measure(const Prepared& prepared, eval::Store& store, eval::Looks& looks,
                      eval::Reference& reference) {
    Progress progress(prepared.progress, prepared.suite.name);
    std::string shown_phase;
    const eval::ScoringEvents events{.progress =
                                         [&](std::string_view phase, std::size_t done, std::size_t total) {
                                             if (phase != shown_phase) progress.start(phase, total);
                                             shown_phase = phase;
                                             progress.advance(done);
                                         },
                                     .should_stop = is_interrupted};
    return eval::score(prepared.suite, prepared.models, prepared.items, store, looks, reference, events);
}

/// What the one process does that has the store.
int lead(const CommandLine& line, const EvalOptions& options, const Share& share,
         eval::RemoteWorkers* others) {
    const Prepared prepared = prepare(line, options, share);
    eval::Looks looks(prepared.suite, prepared.looking);
    if (options.dry_run) {
        write_stdout(plan_text(prepared));
        return 0;
    }
    eval::Reference reference(prepared.suite.reference);
    const fs::path folder = folder_of_run(options, prepared.suite);
    if (eval::Store::exists(folder) && !options.resume && !options.report_only)
        fail(ErrorCode::usage, "--output", "{} holds a run already: --resume goes on with it",
             folder.string());
    if (options.report_only && !eval::Store::exists(folder))
        fail(ErrorCode::model_not_found, "--report-only", "there is no run in {}", folder.string());
    if (!eval::Store::exists(folder)) check_report_places(folder);
    eval::Store store(folder);
    if (options.shard.empty()) gather_shards(store);
    if (!options.report_only) make_groups(prepared, store, looks.keys(), others);
    if (!options.shard.empty()) {
        write_stdout(fmt::format("{}: {} groups of this shard; gass eval without --shard gathers all\n",
                                 folder.string(), prepared.items.size()));
        return 0;
    }
    const eval::Results results = measure(prepared, store, looks, reference);
    write_report(folder, results);
    std::vector<eval::Assertion> checks;
    for (const std::string& text : options.assertions)
        checks.push_back(eval::evaluate_assertion(text, results));
    write_stdout(options.json ? shown(eval::report_json(results)) : report_summary(folder, results));
    write_stderr(checks_summary(checks));
    if (!std::ranges::all_of(checks, &eval::Assertion::holds)) return exit_status(ErrorCode::check_failed);
    return results.failures.empty() && results.done == results.planned ? 0 : exit_status(ErrorCode::partial);
}

/// What every other process of the job does.
int follow(const CommandLine& line, const EvalOptions& options, const Share& share, eval::Communicator& job) {
    try {
        const Prepared prepared = prepare(line, options, share);
        const std::unique_ptr<eval::GroupMaker> maker = make_maker(prepared);
        eval::serve(job, prepared.items, *maker);
        return 0;
    } catch (const Error& error) {
        eval::refuse(job, error.what());
        return exit_status(error.code());
    }
}

}  // namespace

int evaluate_suite(CommandLine& line, const EvalOptions& options) {
    catch_interrupt();
    // Shards are for jobs that do not talk to each other, though srun may start them.
    const std::unique_ptr<eval::Communicator> job =
        options.shard.empty() ? eval::open_communicator() : nullptr;
    if (job == nullptr) return lead(line, options, {}, nullptr);
    const Share share{job->local_rank(), job->local_size()};
    if (job->rank() > 0) return follow(line, options, share, *job);
    // Whatever ends this process early must end the others, which wait for its orders.
    ErrorCode code = ErrorCode::failure;
    try {
        eval::RemoteWorkers others(*job);
        return lead(line, options, share, &others);
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
