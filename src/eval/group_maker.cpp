#include "eval/group_maker.h"

#include "catalog/fingerprint.h"
#include "core/fail.h"
#include "engine/group_files.h"
#include "guidance/registry.h"
#include "io/model_lookup.h"

#include <span>
#include <utility>

namespace gass::eval {
namespace {

/// What decides a group's bytes beside prompt and seeds. Where a model lies, how many threads compute and
/// which of several GPUs does not belong to it.
Json identity_of(const Engine& engine, const Request& request) {
    Json identity = record_of(engine, request, Group{}).to_json();
    for (const char* key : {"machine", "prompt", "seeds"}) identity.erase(key);
    Json& settings = identity.at("settings");
    for (const char* key : {"model", "threads", "max_batch"}) settings.erase(key);
    const std::string device = engine.device();
    settings["device"] = device.substr(0, device.find(':'));
    if (settings.contains("guide"))
        settings["guide"] = fingerprint(open_model(find_model(engine.guide()), ""));
    return identity;
}

}  // namespace

PreparedModel prepare_model(const Suite& suite, std::size_t model, const Settings& settings) {
    PreparedModel prepared{.options = engine_options_from(settings)};
    const Engine engine(prepared.options);
    prepared.fingerprint = engine.fingerprint();
    for (const char* name : {"unet", "transformer"}) {
        const ModelComponent* denoiser = engine.model().find(name);
        if (denoiser != nullptr && denoiser->weights)
            prepared.denoiser_parameters = denoiser->weights->parameter_count();
    }
    const Request common = request_from(settings);
    for (const SuiteMethod& method : suite.methods) {
        Request request = common;
        try {
            request.method = engine.complete_method(method.methods.at(model));
            const auto starts = static_cast<std::size_t>(candidates_for(request.method, request.images));
            request.seeds = consecutive_seeds(0, starts);  // each group brings its own
            engine.complete(request);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::usage) throw;
            throw Error(ErrorCode::usage, fmt::format("{}, method {}", suite.models[model].id, method.id),
                        error.what());
        }
        prepared.recipes.push_back(
            {identity_of(engine, request), request.images, static_cast<std::int64_t>(request.seeds.size())});
        prepared.requests.push_back(std::move(request));
    }
    return prepared;
}

EngineGroupMaker::EngineGroupMaker(const Suite& suite, const std::vector<PreparedModel>& models,
                                   const nn::Placement& placement,
                                   std::function<bool(const WorkItem&)> keeps_pictures,
                                   std::function<bool()> should_stop)
    : suite_(suite),
      models_(models),
      keeps_pictures_(std::move(keeps_pictures)),
      should_stop_(std::move(should_stop)),
      looks_(suite, placement) {
}

MadeGroup EngineGroupMaker::make(const WorkItem& item) {
    const PreparedModel& model = models_[item.model];
    if (engine_ == nullptr || loaded_ != item.model) {
        engine_.reset();  // before the next takes its memory
        engine_ = std::make_unique<Engine>(model.options);
        engine_->load();
        loaded_ = item.model;
    }
    const SuitePrompt& prompt = suite_.prompts[item.prompt];
    Request request = model.requests[item.method];
    request.prompt = prompt.text;
    request.seeds = seeds_of(suite_, prompt, item.group, model.recipes[item.method]);
    engine_->complete(request);  // opens the guide, where the method needs one
    const Group group =
        engine_->generate(request, {.progress = {}, .preview = {}, .should_stop = should_stop_});
    if (!group.complete) fail(ErrorCode::interrupted, "gass eval", "stopped while images were decoded");

    const Record record = record_of(*engine_, request, group);
    const PictureOutput output;  // what is kept is kept without loss
    MadeGroup made{.record = group_json(group, record, output), .files = {}, .seen = {}};
    for (const auto& look : looks_.all()) made.seen.push_back(look->at(group.images, group.prompts));
    if (keeps_pictures_(item)) {
        std::vector<EncodedPicture> pictures = group_pictures(group, record, output);
        for (std::size_t i = 0; i < pictures.size(); ++i)
            made.files.push_back({picture_name(i, *output.format), std::move(pictures[i].bytes)});
        const std::string text = made.record.dump(2) + "\n";
        const auto bytes = std::as_bytes(std::span(text));
        made.files.push_back({kGroupFile, {bytes.begin(), bytes.end()}});
    }
    made.record.erase("method_steps");  // long, and for those who look at one group
    return made;
}

}  // namespace gass::eval
