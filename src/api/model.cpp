#include "catalog/model.h"

#include "catalog/verify.h"

#include <gass/model.h>

#include <utility>

namespace gass {

std::vector<std::string> model_names() {
    std::vector<std::string> names;
    for (ModelLocation& location : list_models()) names.push_back(std::move(location.name));
    return names;
}

ModelInfo inspect_model(std::string_view name, std::string_view variant) {
    const Model model = open_model(find_model(name), variant);
    ModelInfo info{model.location.name,     model.folder.root().string(),
                   model.class_name,        {},
                   model.parameter_count(), model.byte_count()};
    for (const ModelComponent& part : model.components) {
        info.components.push_back({part.name, part.class_name,
                                   part.weights ? part.weights->parameter_count() : 0,
                                   part.weights ? part.weights->byte_count() : 0});
    }
    return info;
}

std::vector<std::string> check_model(std::string_view name, std::string_view variant) {
    return verify_model(find_model(name), variant).problems;
}

}  // namespace gass
