#include "eval/making/evaluation.h"

#include "core/fail.h"
#include "core/log.h"
#include "eval/making/group_maker.h"
#include "eval/making/scoring.h"
#include "eval/report/report_files.h"
#include "eval/suite/known_suites.h"
#include "nn/device.h"

#include <ATen/DeviceAccelerator.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

namespace gass::eval {
namespace {

namespace fs = std::filesystem;

/// Which part of the machine this process takes, where it is one of several.
struct Share {
    int index = 0;
    int count = 1;
};

Share share_of(const Communicator* job) {
    return job == nullptr ? Share{} : Share{job->local_rank(), job->local_size()};
}

void take_share(const Share& share, Settings& settings) {
    if (share.count == 1) return;
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
}

Settings settings_of(const SettingsOver& settings_over, const Suite& suite, const SuiteModel& model,
                     const Share& share) {
    Json object = suite.settings;
    object.update(model.settings);
    Settings settings = settings_over(object, fmt::format("suite {}, model {}", suite.name, model.id));
    if (settings.text("model") != model.settings.at("model").get<std::string>())
        fail(ErrorCode::usage, settings.origin("model"),
             "a suite names its own models; `model` {}=MODEL replaces one", model.id);
    take_share(share, settings);
    return settings;
}

/// A suite with everything opened and checked that its groups need.
struct Prepared {
    Suite suite;
    std::vector<PreparedModel> models = {};
    nn::Placement measuring = {};  // compared across machines: fp32 everywhere
    std::vector<WorkItem> items = {};

    std::unique_ptr<GroupMaker> make_maker(const std::function<bool()>& should_stop) const {
        return std::make_unique<EngineGroupMaker>(suite, models, measuring, should_stop);
    }
    std::size_t images_of(const WorkItem& item) const {
        return static_cast<std::size_t>(models[item.model].recipes[item.method].images);
    }
};

Prepared prepare(const EvaluationRequest& request, const SettingsOver& settings_over, const Share& share) {
    if (request.suite.empty())
        fail(ErrorCode::usage, "gass eval", "which suite? gass eval --list shows those there are");
    Prepared prepared{.suite = read_suite(find_suite(request.suite), request.overrides)};
    const Suite& suite = prepared.suite;
    for (const std::string& check : request.checks) check_assertion(check, suite);
    std::vector<std::vector<Recipe>> recipes;
    for (std::size_t i = 0; i < suite.models.size(); ++i) {
        const Settings settings = settings_of(settings_over, suite, suite.models[i], share);
        prepared.models.push_back(prepare_model(suite, i, settings));
        recipes.push_back(prepared.models.back().recipes);
        prepared.measuring = {.dtype = at::kFloat, .device = find_device(settings.text("device"))};
    }
    prepared.items = plan_of(suite, recipes);
    if (request.shard) prepared.items = shard_of(suite, prepared.items, *request.shard);
    return prepared;
}

fs::path folder_of_run(const EvaluationRequest& request, const Suite& suite) {
    const fs::path folder =
        request.folder.empty() ? fs::path("gass-out") / ("eval-" + suite.name) : request.folder;
    if (!request.shard) return folder;
    return folder / fmt::format("shard-{}-of-{}", request.shard->index, request.shard->count);
}

/// The stores that shards have made in folders below that of a run.
std::vector<fs::path> shards_below(const fs::path& folder) {
    std::vector<fs::path> shards;
    if (!fs::is_directory(folder)) return shards;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.path().filename().string().starts_with("shard-") && Store::exists(entry.path()))
            shards.push_back(entry.path());
    }
    std::ranges::sort(shards);
    return shards;
}

void gather_shards(Store& store) {
    for (const fs::path& shard : shards_below(store.folder())) {
        Store other(shard);
        const std::size_t taken = store.take_over(other);
        if (taken > 0) log::info("{} groups from {}", taken, shard.filename().string());
    }
}

void check_folder(const EvaluationRequest& request, const fs::path& folder) {
    const bool has_run = Store::exists(folder);
    if (has_run && !request.resume && !request.report_only)
        fail(ErrorCode::usage, SettingKey("output"), "{} holds a run already: `resume` goes on with it",
             folder.string());
    if (request.report_only && !has_run)
        fail(ErrorCode::model_not_found, SettingKey("report_only"), "there is no run in {}", folder.string());
    if (!has_run) check_report_places(folder);
}

void make_groups(const Prepared& prepared, Store& store, std::vector<std::string> encoders,
                 RemoteWorkers* others, const EvaluationEvents& events) {
    const Suite& suite = prepared.suite;
    WorkQueue queue(store, prepared.items, std::move(encoders));
    LocalWorker own(prepared.items, [&] { return prepared.make_maker(events.should_stop); });
    RunEvents run_events;
    if (events.progress && queue.total() > 0) {
        run_events.progress = [&](std::size_t settled, std::size_t total) {
            events.progress("groups", settled, total);
        };
    }
    if (events.failed) {
        run_events.failed = [&](const WorkItem& item, const std::string& reason) {
            events.failed({suite.models[item.model].id, suite.methods[item.method].id, item.prompt,
                           item.group, reason});
        };
    }
    run_events.should_stop = events.should_stop;
    const RunTimes times = run(suite, prepared.items, store, queue, own, others, run_events);
    if (events.settled && queue.total() > 0) events.settled(queue.total(), times);
}

/// The other ranks, for as long as rank 0 has something to do.
std::unique_ptr<RemoteWorkers> others_of(Communicator* job) {
    return job == nullptr ? nullptr : std::make_unique<RemoteWorkers>(*job);
}

}  // namespace

EvaluationPlan plan_evaluation(const EvaluationRequest& request, const SettingsOver& settings,
                               Communicator* job) {
    const std::unique_ptr<RemoteWorkers> others = others_of(job);
    const Prepared prepared = prepare(request, settings, share_of(job));
    const std::vector<std::string> encoders = EncoderSet(prepared.suite, prepared.measuring).keys();
    const fs::path folder = folder_of_run(request, prepared.suite);
    std::vector<std::unique_ptr<Store>> stores;
    if (Store::exists(folder)) stores.push_back(std::make_unique<Store>(folder));
    if (!request.shard) {
        for (const fs::path& shard : shards_below(folder)) stores.push_back(std::make_unique<Store>(shard));
    }
    const Suite& suite = prepared.suite;
    EvaluationPlan plan{.suite = suite.name,
                        .models = suite.models.size(),
                        .methods = suite.methods.size(),
                        .prompts = suite.prompts.size(),
                        .groups_of_prompt = suite.groups,
                        .groups = prepared.items.size()};
    for (const WorkItem& item : prepared.items) {
        plan.images += prepared.images_of(item);
        const auto has = [&](const auto& store) { return store->is_kept(item.key, encoders); };
        if (std::ranges::any_of(stores, has)) continue;
        ++plan.groups_left;
        plan.images_left += prepared.images_of(item);
        const PreparedModel& model = prepared.models[item.model];
        plan.evaluations_left += model.evaluations[item.method];
        const std::optional<double> seconds = model.seconds[item.method];
        plan.seconds_left =
            seconds && plan.seconds_left ? std::optional(*plan.seconds_left + *seconds) : std::nullopt;
    }
    return plan;
}

EvaluationResult evaluate(const EvaluationRequest& request, const SettingsOver& settings,
                          const EvaluationEvents& events, Communicator* job) {
    const std::unique_ptr<RemoteWorkers> others = others_of(job);
    const Prepared prepared = prepare(request, settings, share_of(job));
    const Suite& suite = prepared.suite;
    EncoderSet encoders(suite, prepared.measuring);
    Reference reference(suite.reference);
    EvaluationResult result{.folder = folder_of_run(request, suite), .groups = prepared.items.size()};
    check_folder(request, result.folder);
    if (events.started) events.started(suite);
    Store store(result.folder);
    if (!request.shard) gather_shards(store);
    if (!request.report_only) make_groups(prepared, store, encoders.keys(), others.get(), events);
    if (request.shard) return result;
    result.results = score(suite, prepared.models, prepared.items, store, encoders, reference,
                           {.progress = events.progress, .should_stop = events.should_stop});
    write_report(result.folder, *result.results);
    for (const std::string& check : request.checks)
        result.checks.push_back(evaluate_assertion(check, *result.results));
    return result;
}

std::optional<ErrorCode> help_evaluation(const EvaluationRequest& request, const SettingsOver& settings,
                                         const std::function<bool()>& should_stop, Communicator& job) {
    try {
        const Prepared prepared = prepare(request, settings, share_of(&job));
        const std::unique_ptr<GroupMaker> maker = prepared.make_maker(should_stop);
        serve(job, prepared.items, *maker);
        return std::nullopt;
    } catch (const Error& error) {
        refuse(job, error.what());
        return error.code();
    }
}

}  // namespace gass::eval
