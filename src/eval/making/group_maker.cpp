#include "eval/making/group_maker.h"

#include "catalog/fingerprint.h"
#include "core/fail.h"
#include "engine/cost.h"
#include "engine/group_files.h"
#include "engine/loaded_model.h"
#include "engine/pace.h"
#include "engine/record.h"
#include "engine/request.h"
#include "eval/run/identity.h"
#include "io/model_lookup.h"
#include "record/record_json.h"

#include <gass/group.h>

#include <span>
#include <utility>

namespace gass::eval {
namespace {

/// What identifies the groups of a plan, and which settings of the model's do.
Json identity_on(const Engine& engine, const Plan& plan, Json& settings) {
    const Record record = record_of(engine.loaded(), plan.parts(), /*chunk=*/0);
    const auto& guide = record.settings.guide;
    Json identity =
        identity_of(to_json(record), guide ? fingerprint(open_model(find_model(*guide), "")) : "");
    for (const auto& [key, value] : identity.at("settings").items()) {
        if (key != "method") settings[key] = key == "guide" ? Json(*guide) : value;
    }
    return identity;
}

/// The pictures that the report shows are kept whatever the suite says.
bool keeps_pictures(const Suite& suite, const WorkItem& item) {
    return suite.keeps_pictures || (item.prompt < suite.samples && item.group == 0);
}

}  // namespace

PreparedModel prepare_model(const Suite& suite, std::size_t model, const Settings& settings) {
    PreparedModel prepared{.options = engine_options_from(settings)};
    const Engine engine(prepared.options);
    prepared.fingerprint = engine.fingerprint();
    for (const char* name : {"unet", "transformer"}) {
        const ModelComponent* denoiser = engine.loaded().model().find(name);
        if (denoiser != nullptr && denoiser->weights)
            prepared.denoiser_parameters = denoiser->weights->parameter_count();
    }
    if (const Json* shield = settings.find("shield")) prepared.settings["shield"] = *shield;
    Request request = request_from(settings);
    request.strength = request.dep = request.ind = std::nullopt;  // each method says its own
    request.seed = 0;                                             // each group brings its own
    request.measure = false;                                      // the suite's metrics do
    for (const SuiteMethod& method : suite.methods) {
        request.method = method.methods.at(model);
        try {
            const Plan plan = engine.plan(request);
            prepared.recipes.push_back({identity_on(engine, plan, prepared.settings), plan.images(),
                                        static_cast<std::int64_t>(plan.seeds().size())});
            prepared.methods.push_back(plan.method());
            prepared.evaluations.push_back(evaluations_of(engine.loaded(), plan.parts()));
            prepared.seconds.push_back(
                expected_seconds(engine.loaded(), plan.parts(), prepared.evaluations.back()));
        } catch (const Error& error) {
            if (error.code() != ErrorCode::usage) throw;
            throw Error(ErrorCode::usage, fmt::format("{}, method {}", suite.models[model].id, method.id),
                        error.what());
        }
        prepared.requests.push_back(request);
    }
    return prepared;
}

EngineGroupMaker::EngineGroupMaker(const Suite& suite, const std::vector<PreparedModel>& models,
                                   const nn::Placement& placement, std::function<bool()> should_stop)
    : suite_(suite), models_(models), should_stop_(std::move(should_stop)), encoders_(suite, placement) {
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
    const Group group = engine_->generate(engine_->plan(request),
                                          {.progress = {}, .preview = {}, .should_stop = should_stop_});
    if (!group.complete) fail(ErrorCode::interrupted, "gass eval", "stopped while images were decoded");

    const std::vector<Image> images(group.images.begin(), group.images.end());
    std::vector<std::string> prompts;
    for (const GroupImage& image : group.images) prompts.push_back(image.prompt);
    const PictureOutput output;  // what is kept is kept without loss
    MadeGroup made{.record = group_json(group, output), .files = {}, .features = {}};
    for (const auto& encoder : encoders_.all()) made.features.push_back(encoder->encode(images, prompts));
    if (keeps_pictures(suite_, item)) {
        std::vector<EncodedPicture> pictures = group_pictures(group, output);
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
