#include "engine/cost.h"
#include "engine/loaded_model.h"
#include "engine/plan_parts.h"
#include "engine/record.h"
#include "engine/request.h"
#include "engine/session.h"
#include "engine/target.h"
#include "nn/device.h"
#include "record/record_json.h"

#include <gass/engine.h>
#include <gass/group.h>

namespace gass {

Engine::Engine(const EngineOptions& options) : model_(std::make_unique<LoadedModel>(options)) {
}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

Plan Engine::plan(const Request& request) const {
    return make_plan(*model_, request);
}

Group Engine::generate(const Plan& plan, const Events& events) const {
    model_->fingerprint();  // begins in the background, for the record
    return plan.parts().target ? reach_target(*this, plan, events)
                               : make_group(*model_, plan.parts(), events);
}

void Engine::load() const {
    try {
        model_->load();
        synchronize(model_->device());
    } catch (const c10::Error& error) {
        fail_in_libtorch(model_->device(), error);
    }
}

PlanCost Engine::cost(const Plan& plan) const {
    return cost_of(*model_, plan.parts());
}

std::string Engine::save(const Plan& plan) const {
    const PlanParts& parts = plan.parts();
    Record record = record_of(*model_, parts, parts.max_batch);
    // The strength of a target is to be found when the plan is run.
    if (parts.target) record.settings.method = parts.request.method.value_or(parts.methods.name());
    Json json = to_json(record);
    if (parts.target) json["target"] = parts.target->text();
    if (parts.request.measure) json["measure"] = *parts.request.measure;
    return json.dump(2);
}

Plan Engine::saved_plan(std::string_view text) const {
    constexpr const char* kWhere = "plan";
    const Json json = parse_json(text, kWhere);
    Request request = request_from(read_record(json, kWhere));
    JsonReader reader(json, kWhere);
    if (reader.find("target") != nullptr) request.target = Target::parse(reader.string("target"));
    if (reader.find("measure") != nullptr) request.measure = reader.boolean("measure");
    return plan(request);
}

const EngineOptions& Engine::options() const {
    return model_->options();
}
const std::string& Engine::guide() const {
    return model_->guide_name();
}
std::string Engine::dtype() const {
    return dtype_name(model_->placement().dtype);
}
std::string Engine::device() const {
    return model_->device().is_cpu() ? "cpu" : "cuda";
}
std::int64_t Engine::threads() const {
    return model_->threads();
}
bool Engine::offloads() const {
    return model_->offloads();
}
std::string Engine::fingerprint() const {
    return model_->fingerprint().get();
}

}  // namespace gass
