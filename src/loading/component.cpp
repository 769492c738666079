#include "loading/component.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace gass {

const ModelComponent& component_of(const Model& model, std::string_view name,
                                   std::initializer_list<std::string_view> classes) {
    const std::string where = model.folder.shown("model_index.json");
    const ModelComponent* component = model.find(name);
    if (component == nullptr)
        fail(ErrorCode::model_invalid, where, "a {} needs the component {}", model.class_name,
             in_quotes(name));
    if (std::find(classes.begin(), classes.end(), component->class_name) == classes.end()) {
        fail(ErrorCode::model_invalid, where, "{} is a {}; gass runs {} here", in_quotes(name),
             in_quotes(component->class_name), fmt::join(classes, " or "));
    }
    return *component;
}

std::unique_ptr<Tokenizer> tokenizer_of(const Model& model, std::string_view name) {
    const ModelComponent* component = model.find(name);
    if (component == nullptr || component->kind != ComponentKind::tokenizer) {
        fail(ErrorCode::model_invalid, model.folder.shown("model_index.json"), "a {} needs the tokenizer {}",
             model.class_name, in_quotes(name));
    }
    return load_tokenizer(component->folder);
}

}  // namespace gass
