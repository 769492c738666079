#include "catalog/verify.h"

#include "core/log.h"
#include "core/wording.h"
#include "engine.h"
#include "models/registry.h"
#include "output.h"

#include <utility>

namespace gass::cli {
namespace {

/// The models named, or all that are embedded.
std::vector<ModelLocation> models_to_verify(const std::vector<std::string>& names) {
    std::vector<ModelLocation> models;
    for (const std::string& name : names) models.push_back(find_model(name));
    if (!models.empty()) return models;
    for (ModelLocation& location : list_models()) {
        if (location.source == ModelSource::embedded) models.push_back(std::move(location));
    }
    return models;
}

}  // namespace

int verify_models(const CommandLine&, const ModelsOptions& options) {
    bool all_ok = true;
    Json json = Json::array();
    for (const ModelLocation& location : models_to_verify(options.names)) {
        const Verification result = verify_model(location, options.variant, check_component);
        all_ok = all_ok && result.ok();
        for (const std::string& problem : result.problems) log::error("{}", problem);
        if (options.json) {
            json.push_back(describe_location(location));
            json.back().update({{"ok", result.ok()},
                                {"files", result.files},
                                {"tensors", result.tensors},
                                {"parameters", result.parameters},
                                {"problems", result.problems}});
        } else if (result.ok()) {
            write_stdout(fmt::format("{}: ok ({}, {}, {} values, all finite)\n", location.name,
                                     counted(result.files, "file"), counted(result.tensors, "tensor"),
                                     human_count(result.parameters)));
        } else {
            write_stdout(fmt::format("{}: {}\n", location.name, counted(result.problems.size(), "problem")));
        }
    }
    if (options.json) write_json("verify/1", {{"models", json}});
    return all_ok ? 0 : exit_status(ErrorCode::model_invalid);
}

}  // namespace gass::cli
