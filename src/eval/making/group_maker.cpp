#include "eval/making/group_maker.h"

#include "catalog/fingerprint.h"
#include "core/fail.h"
#include "engine/group_files.h"
#include "eval/run/identity.h"
#include "guidance/registry.h"
#include "io/model_lookup.h"

#include <span>
#include <utility>

namespace gass::eval {
namespace {

/// What identifies the groups that an engine makes of a request.
Json identity_on(const Engine& engine, const Request& request) {
    const Json record = record_of(engine, request, Group{}).to_json();
    const bool has_guide = record.at("settings").contains("guide");
    return identity_of(record, has_guide ? fingerprint(open_model(find_model(engine.guide()), "")) : "");
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
            {identity_on(engine, request), request.images, static_cast<std::int64_t>(request.seeds.size())});
        prepared.requests.push_back(std::move(request));
    }
    return prepared;
}

EngineGroupMaker::EngineGroupMaker(const Suite& suite, const std::vector<PreparedModel>& models,
                                   const nn::Placement& placement, std::function<bool()> should_stop)
    : suite_(suite),
      models_(models),
      should_stop_(std::move(should_stop)),
      encoders_(suite, placement) {
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
    MadeGroup made{.record = group_json(group, record), .files = {}, .features = {}};
    for (const auto& encoder : encoders_.all())
        made.features.push_back(encoder->encode(group.images, group.prompts));
    if (keeps_pictures(suite_, item)) {
        const std::vector<std::vector<std::byte>> pictures = group_pngs(group, record);
        for (std::size_t i = 0; i < pictures.size(); ++i)
            made.files.push_back({picture_name(i), pictures[i]});
        const std::string text = made.record.dump(2) + "\n";
        const auto bytes = std::as_bytes(std::span(text));
        made.files.push_back({kGroupFile, {bytes.begin(), bytes.end()}});
    }
    made.record.erase("method_steps");  // long, and for those who look at one group
    return made;
}

}  // namespace gass::eval
