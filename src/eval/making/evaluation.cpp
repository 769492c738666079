#include "eval/making/evaluation.h"

#include "core/fail.h"
#include "core/log.h"
#include "core/wording.h"
#include "eval/making/preparation.h"
#include "eval/making/scoring.h"
#include "eval/report/report_files.h"
#include "eval/run/run_contradiction.h"
#include "eval/suite/known_suites.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace gass::eval {
namespace {

namespace fs = std::filesystem;

fs::path folder_of_run(const EvaluationRequest& request) {
    if (request.folder.empty() && request.suite.empty())
        fail(ErrorCode::usage, "gass eval",
             "which suite, or `output` of which run? gass eval --list shows the suites there are");
    const fs::path folder =
        request.folder.empty()
            ? fs::path("gass-out") / ("eval-" + suite_source(find_suite(request.suite)).name)
            : request.folder;
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

std::optional<RememberedRun> remembered_in(const fs::path& folder) {
    const std::optional<Json> json = Store::remembered(folder);
    return json ? std::optional(read_remembered_run(*json, folder)) : std::nullopt;
}

/// What the run in that folder remembers or, if it is not there yet, the first of its shards that does. A
/// shard looks at no other's store, which may be another machine's.
std::optional<RememberedRun> remembered_run_of(const EvaluationRequest& request, const fs::path& folder) {
    std::optional<RememberedRun> run = remembered_in(folder);
    if (!run && !request.shard) {
        for (const fs::path& shard : shards_below(folder)) {
            if ((run = remembered_in(shard))) break;
        }
    }
    if (!run && request.suite.empty())
        fail(ErrorCode::usage, "gass eval",
             "which suite? there is no run in {} that knows; gass eval --list shows the suites there are",
             folder.string());
    return run;
}

/// Shards of another run are refused as its folder is.
void check_shards(const EvaluationRequest& request, const fs::path& folder, const Prepared& prepared) {
    if (request.shard) return;
    for (const fs::path& shard : shards_below(folder)) {
        const std::optional<RememberedRun> run = remembered_in(shard);
        if (!run) continue;
        check_has_all(*run, suite_of(*run, request.overrides.reference), prepared.suite(), {});
        prepared.check_makes_the_same_as(*run);
    }
}

void gather_shards(Store& store) {
    for (const fs::path& shard : shards_below(store.folder())) {
        Store other(shard);
        const std::size_t taken = store.take_over(other);
        if (taken > 0) log::info("{} from {}", counted(taken, "group"), shard.filename().string());
    }
}

void check_folder(const EvaluationRequest& request, const fs::path& folder) {
    const bool has_run = Store::exists(folder);
    if (has_run && !request.resume && !request.report_only)
        fail(ErrorCode::usage, SettingKey("output"), "{} holds a run already: `resume` continues it",
             folder.string());
    if (request.report_only && !has_run)
        fail(ErrorCode::model_not_found, SettingKey("report_only"), "there is no run in {}", folder.string());
    if (!has_run) check_report_places(folder);
}

void make_groups(const Prepared& prepared, Store& store, std::vector<std::string> encoders,
                 RemoteWorkers* others, const EvaluationEvents& events) {
    const Suite& suite = prepared.suite();
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

/// As `prepare`, once the other ranks know what they need for the same.
Prepared prepare_with(RemoteWorkers* others, const EvaluationRequest& request, const SettingsOver& settings,
                      const Communicator* job, const std::optional<RememberedRun>& run) {
    if (others != nullptr) others->brief(run ? to_json(*run) : Json());
    return prepare(request, settings, job, run ? &*run : nullptr);
}

/// A store that remembers nothing, of an older gass, may be of anything.
void check_knows_some(Store& store, const Prepared& prepared) {
    const auto is_known = [&](const WorkItem& item) {
        return store.find(item.key).has_value() || store.failure(item.key).has_value();
    };
    if (store.size() == 0 || std::ranges::any_of(prepared.items, is_known)) return;
    fail(ErrorCode::usage, SettingKey("output"),
         "none of the {} groups in {} is of this suite with these settings; say what the run was made with, "
         "or choose another folder",
         store.size(), store.folder().string());
}

/// Groups that are still to make must not be made on another device than those that are there.
void check_device(const Prepared& prepared, Store& store, const std::vector<std::string>& encoders) {
    if (prepared.other_device.empty()) return;
    const auto left = std::ranges::count_if(
        prepared.items, [&](const WorkItem& item) { return !store.is_kept(item.key, encoders); });
    if (left > 0)
        fail(ErrorCode::usage, SettingKey("device"),
             "{} groups are left to make, and the run in {} is made on {}: elsewhere they would be other "
             "images",
             left, store.folder().string(), prepared.other_device);
}

}  // namespace

EvaluationPlan plan_evaluation(const EvaluationRequest& request, const SettingsOver& settings,
                               Communicator* job) {
    const std::unique_ptr<RemoteWorkers> others = others_of(job);
    const fs::path folder = folder_of_run(request);
    const std::optional<RememberedRun> run = remembered_run_of(request, folder);
    const Prepared prepared = prepare_with(others.get(), request, settings, job, run);
    check_shards(request, folder, prepared);
    const std::vector<std::string> encoders = EncoderSet(prepared.suite(), prepared.measuring).keys();
    std::vector<std::unique_ptr<Store>> stores;
    if (Store::exists(folder)) stores.push_back(std::make_unique<Store>(folder));
    if (!request.shard) {
        for (const fs::path& shard : shards_below(folder)) stores.push_back(std::make_unique<Store>(shard));
    }
    const Suite& suite = prepared.suite();
    EvaluationPlan plan{.suite = suite.name,
                        .folder = folder,
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
    const fs::path folder = folder_of_run(request);
    check_folder(request, folder);
    const std::optional<Json> before = Store::remembered(folder);
    const std::optional<RememberedRun> run = remembered_run_of(request, folder);
    const Prepared prepared = prepare_with(others.get(), request, settings, job, run);
    check_shards(request, folder, prepared);
    const Suite& suite = prepared.suite();
    EncoderSet encoders(suite, prepared.measuring);
    Reference reference(suite.reference);
    EvaluationResult result{.folder = folder, .groups = prepared.items.size()};
    if (events.started) events.started(suite);
    Store store(folder);
    if (!request.shard) gather_shards(store);
    if (!run) check_knows_some(store, prepared);
    if (!request.report_only) {
        check_device(prepared, store, encoders.keys());
        store.remember(to_json(prepared.remembered()), before);
        make_groups(prepared, store, encoders.keys(), others.get(), events);
    }
    if (request.shard) return result;
    result.results = score(suite, prepared.models, prepared.items, store, encoders, reference,
                           {.progress = events.progress, .should_stop = events.should_stop});
    check_report_is_no_emptier(folder, *result.results);
    write_report(folder, *result.results);
    if (request.report_only) store.remember(to_json(prepared.remembered()), before);
    for (const std::string& check : request.checks)
        result.checks.push_back(evaluate_assertion(check, *result.results));
    return result;
}

std::optional<ErrorCode> help_evaluation(const EvaluationRequest& request, const SettingsOver& settings,
                                         const std::function<bool()>& should_stop, Communicator& job) {
    try {
        const std::optional<Json> remembered = wait_for_briefing(job);
        if (!remembered) return std::nullopt;
        std::optional<RememberedRun> run;
        if (!remembered->is_null()) run = read_remembered_run(*remembered, request.folder);
        const Prepared prepared = prepare(request, settings, &job, run ? &*run : nullptr);
        const std::unique_ptr<GroupMaker> maker = prepared.make_maker(should_stop);
        serve(job, prepared.items, *maker);
        return std::nullopt;
    } catch (const Error& error) {
        refuse(job, error.what());
        return error.code();
    }
}

}  // namespace gass::eval
