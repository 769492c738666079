#include "eval/making/preparation.h"

#include "core/fail.h"
#include "eval/run/run_contradiction.h"
#include "nn/device.h"

#include <ATen/DeviceAccelerator.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

namespace gass::eval {
namespace {

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

bool is_here(const std::string& device) {
    try {
        find_device(device);
        return true;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::device) throw;
        return false;
    }
}

/// What a run was made with, {"device", "dtype", …}; nullptr if it did not have the model.
const Json* settings_of_run(const RememberedRun* run, const std::string& model) {
    if (run == nullptr || !run->settings.contains(model)) return nullptr;
    return &run->settings[model];
}

/// A run that was made on a GPU can be reported without one: where nobody says otherwise, by what is here.
void do_without_its_device(const Json& made_with, std::string_view origin, Settings& settings) {
    const auto give_up = [&](std::string_view key) {
        if (settings.origin(key) == origin)
            settings.set_text(SettingLayer::flag, *find_setting(key), "auto", origin);
    };
    if (!is_here(settings.text("device"))) give_up("device");
    if (find_device(settings.text("device")).is_cpu() != (made_with.value("device", "cpu") == "cpu"))
        give_up("dtype");
}

Settings settings_of(const SettingsOver& settings_over, const Suite& suite, std::size_t index,
                     const Share& share, const RememberedRun* run) {
    const SuiteModel& model = suite.models[index];
    const std::string origin = fmt::format("suite {}, model {}", suite.name, model.id);
    Settings settings = settings_over(settings_below(suite, index, run), origin);
    if (settings.text("model") != model.settings.at("model").get<std::string>())
        fail(ErrorCode::usage, settings.origin("model"),
             "a suite names its own models; `model` {}=MODEL replaces one", model.id);
    if (const Json* made_with = settings_of_run(run, model.id))
        do_without_its_device(*made_with, origin, settings);
    take_share(share, settings);
    return settings;
}

/// The groups that are there are known by the device they were made on. Returns it if it is another than that
/// of the model.
std::string keep_device_of_run(const Json& made_with, PreparedModel& model) {
    constexpr std::array kOfTheDevice{"device", "dtype", "offload_to_cpu"};
    const std::string device = made_with.value("device", "");
    if (device.empty() || device == model.settings.at("device").get<std::string>()) return {};
    for (const char* key : kOfTheDevice) {
        if (!made_with.contains(key)) continue;
        model.settings[key] = made_with[key];
        for (Recipe& recipe : model.recipes) recipe.identity["settings"][key] = made_with[key];
    }
    return device;
}

std::vector<std::vector<Recipe>> recipes_of(const Prepared& prepared) {
    std::vector<std::vector<Recipe>> recipes;
    for (const PreparedModel& model : prepared.models) recipes.push_back(model.recipes);
    return recipes;
}

}  // namespace

std::unique_ptr<GroupMaker> Prepared::make_maker(const std::function<bool()>& should_stop) const {
    return std::make_unique<EngineGroupMaker>(suite(), models, measuring, should_stop);
}

void Prepared::check_makes_the_same_as(const RememberedRun& run) const {
    check_recipes(run, suite(), recipes_of(*this), [&](std::size_t model, std::string_view setting) {
        return settings[model].origin(setting);
    });
}

RememberedRun Prepared::remembered() const {
    std::vector<Json> made_with;
    for (const PreparedModel& model : models) made_with.push_back(model.settings);
    return remembered_run(requested, made_with, recipes_of(*this));
}

Prepared prepare(const EvaluationRequest& request, const SettingsOver& settings_over, const Communicator* job,
                 const RememberedRun* run) {
    Prepared prepared{.requested = requested_suite(request.suite, request.overrides, run)};
    const Suite& suite = prepared.suite();
    for (const std::string& check : request.checks) check_assertion(check, suite);
    for (std::size_t i = 0; i < suite.models.size(); ++i) {
        const Settings settings = settings_of(settings_over, suite, i, share_of(job), run);
        prepared.settings.push_back(settings);
        prepared.models.push_back(prepare_model(suite, i, settings));
        prepared.measuring = {.dtype = at::kFloat, .device = find_device(settings.text("device"))};
        const Json* made_with = settings_of_run(run, suite.models[i].id);
        if (made_with == nullptr) continue;
        if (std::string device = keep_device_of_run(*made_with, prepared.models.back()); !device.empty())
            prepared.other_device = std::move(device);
    }
    if (run != nullptr) prepared.check_makes_the_same_as(*run);
    prepared.items = plan_of(suite, recipes_of(prepared));
    if (request.shard) prepared.items = shard_of(suite, prepared.items, *request.shard);
    return prepared;
}

}  // namespace gass::eval
