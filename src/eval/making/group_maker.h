#pragma once

#include "core/settings.h"
#include "eval/making/encoders.h"
#include "eval/run/plan.h"
#include "eval/run/worker.h"

#include <gass/engine.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gass::eval {

/// A model of a suite with its settings, and for each method what its groups are generated with but for
/// prompt and seeds.
struct PreparedModel {
    EngineOptions options;
    std::string fingerprint = {};
    Json settings = Json::object();  ///< that decide the groups' bytes, as --config reads them
    std::uint64_t denoiser_parameters = 0;
    std::vector<Request> requests = {};
    std::vector<std::string> methods = {};            ///< of the requests, with every parameter
    std::vector<std::int64_t> evaluations = {};       ///< of the denoiser, for a group of each
    std::vector<std::optional<double>> seconds = {};  ///< that it takes about, as far as that is known
    std::vector<Recipe> recipes = {};
};

/// Opens the model, checks every method on it, and says what decides a group's bytes. `settings` are those
/// of the suite for this model with the user's own above them. Throws as Engine does.
PreparedModel prepare_model(const Suite& suite, std::size_t model, const Settings& settings);

/// Makes groups with the suite's models, one of them loaded at a time.
class EngineGroupMaker : public GroupMaker {
  public:
    EngineGroupMaker(const Suite& suite, const std::vector<PreparedModel>& models,
                     const nn::Placement& placement, std::function<bool()> should_stop);

    MadeGroup make(const WorkItem& item) override;

  private:
    const Suite& suite_;
    const std::vector<PreparedModel>& models_;
    std::function<bool()> should_stop_;
    EncoderSet encoders_;
    std::unique_ptr<Engine> engine_;
    std::size_t loaded_ = 0;  // which model `engine_` is, if it is one
};

}  // namespace gass::eval
