#include "engine/cost.h"
#include "engine/loaded_model.h"
#include "engine/plan_parts.h"
#include "engine/session.h"
#include "engine/target.h"
#include "nn/device.h"

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
