#include "catalog/model.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/settings.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gass {
namespace {

constexpr std::string_view kIndexFile = "model_index.json";
constexpr std::string_view kConfigFile = "config.json";
constexpr std::string_view kDefaultsFile = "gass.json";

// Parts that Stable Diffusion 1 and 2 folders name and that we never use; their files may be missing.
constexpr std::array<std::string_view, 3> kUnused{"safety_checker", "feature_extractor", "image_encoder"};

ComponentKind kind_of_class(std::string_view class_name) {
    if (class_name.ends_with("Tokenizer") || class_name.ends_with("TokenizerFast"))
        return ComponentKind::tokenizer;
    if (class_name.ends_with("Scheduler")) return ComponentKind::scheduler;
    if (class_name.find("Processor") != std::string_view::npos) return ComponentKind::processor;
    return ComponentKind::network;
}

ModelComponent open_component(const ModelFolder& folder, std::string name, std::string class_name,
                              std::string_view variant) {
    const ComponentKind kind = kind_of_class(class_name);
    ModelComponent component{std::move(name), std::move(class_name), kind, folder, std::nullopt};
    if (kind == ComponentKind::network) component.weights = Weights::open(folder, variant);
    return component;
}

/// A diffusers pipeline: every entry of the form "name": [library, class] is a component in the folder of
/// that name.
void open_pipeline(Model& model, std::string_view variant) {
    const std::string where = model.folder.shown(kIndexFile);
    const Json index = model.folder.json(kIndexFile);
    model.class_name = JsonReader(index, where).string("_class_name");
    for (const auto& [name, entry] : index.items()) {
        if (name.starts_with('_') || !entry.is_array())
            continue;  // "_class_name", "requires_safety_checker": true
        if (entry.size() != 2) {
            fail(ErrorCode::model_invalid, where, "{} must be a pair of library and class", in_quotes(name));
        }
        if (entry[0].is_null() && entry[1].is_null()) continue;  // left out, SD3 without T5 for instance
        if (!entry[0].is_string() || !entry[1].is_string()) {
            fail(ErrorCode::model_invalid, where, "{} must be a pair of library and class", in_quotes(name));
        }
        if (name.empty() || name.find('/') != std::string::npos || name.starts_with('.')) {
            fail(ErrorCode::model_invalid, where, "{} cannot be a component's name", in_quotes(name));
        }
        if (std::find(kUnused.begin(), kUnused.end(), name) != kUnused.end()) continue;
        if (!model.folder.has(name)) {
            fail(ErrorCode::model_not_found, model.folder.shown(name),
                 "{} names this component, but its folder is missing", kIndexFile);
        }
        model.components.push_back(
            open_component(model.folder.subfolder(name), name, entry[1].get<std::string>(), variant));
    }
    if (model.components.empty()) fail(ErrorCode::model_invalid, where, "it names no components");
}

std::string class_of_config(const Json& config, const std::string& where) {
    if (const auto it = config.find("architectures"); it != config.end() && it->is_array() && !it->empty()) {
        if (it->front().is_string()) return it->front().get<std::string>();
    }
    for (const char* key : {"_class_name", "model_type"}) {
        if (const auto it = config.find(key); it != config.end() && it->is_string())
            return it->get<std::string>();
    }
    fail(ErrorCode::model_invalid, where, "it names no class: expected \"architectures\" or \"_class_name\"");
}

/// The class of the tokenizer in a network's own folder by its files; empty if it has none.
std::string tokenizer_beside(const ModelFolder& folder) {
    if (folder.has("vocab.json")) return "CLIPTokenizer";
    // A tokenizer.json beside vocab.txt says the same once more, and so it is not asked.
    if (folder.has("vocab.txt") && !folder.has("spiece.model")) return std::string(kWordPieceClass);
    if (folder.has("tokenizer.json")) return "CLIPTokenizer";
    return folder.has("spiece.model") ? "T5Tokenizer" : "";
}

/// A single network in the layout of transformers, with its tokenizer and image processor beside it if it has
/// them.
void open_network(Model& model, std::string_view variant) {
    model.class_name = class_of_config(model.folder.json(kConfigFile), model.folder.shown(kConfigFile));
    model.components.push_back({"model", model.class_name, ComponentKind::network, model.folder,
                                Weights::open(model.folder, variant)});
    if (const std::string tokenizer = tokenizer_beside(model.folder); !tokenizer.empty()) {
        model.components.push_back(
            {"tokenizer", tokenizer, ComponentKind::tokenizer, model.folder, std::nullopt});
    }
    if (model.folder.has("preprocessor_config.json")) {
        model.components.push_back(
            {"processor", "CLIPImageProcessor", ComponentKind::processor, model.folder, std::nullopt});
    }
}

}  // namespace

std::string_view to_string(ComponentKind kind) noexcept {
    switch (kind) {
        case ComponentKind::network:
            return "network";
        case ComponentKind::tokenizer:
            return "tokenizer";
        case ComponentKind::scheduler:
            return "scheduler";
        case ComponentKind::processor:
            return "processor";
    }
    return "";
}

const ModelComponent* Model::find(std::string_view component) const {
    const auto it = std::find_if(components.begin(), components.end(),
                                 [&](const ModelComponent& part) { return part.name == component; });
    return it == components.end() ? nullptr : &*it;
}

std::uint64_t Model::parameter_count() const {
    std::uint64_t count = 0;
    for (const ModelComponent& part : components) count += part.weights ? part.weights->parameter_count() : 0;
    return count;
}

std::uint64_t Model::byte_count() const {
    std::uint64_t count = 0;
    for (const ModelComponent& part : components) count += part.weights ? part.weights->byte_count() : 0;
    return count;
}

Model open_model(const ModelLocation& location, std::string_view variant) {
    Model model{location, ModelFolder(location.path), {}, {}, {}};
    if (model.folder.has(kIndexFile)) {
        open_pipeline(model, variant);
    } else if (model.folder.has(kConfigFile)) {
        open_network(model, variant);
    } else {
        fail(ErrorCode::model_invalid, location.path.string(),
             "not a model: expected {} (a diffusers pipeline) or {} (a single network)", kIndexFile,
             kConfigFile);
    }
    const bool has_variant =
        std::any_of(model.components.begin(), model.components.end(),
                    [](const auto& part) { return part.weights && part.weights->has_variant(); });
    if (!variant.empty() && !has_variant) {
        fail(ErrorCode::model_not_found, location.path.string(), "no component has weights of the variant {}",
             in_quotes(variant));
    }
    model.defaults = read_model_defaults(model.folder);
    return model;
}

ModelDefaults read_model_defaults(const ModelFolder& folder) {
    ModelDefaults defaults;
    if (!folder.has(kDefaultsFile)) return defaults;
    const std::string where = folder.shown(kDefaultsFile);
    const Json json = folder.json(kDefaultsFile);
    JsonReader reader(json, where);
    if (const Json* settings = reader.find("defaults")) {
        // Settings knows the keys and their ranges.
        Settings().set_object(SettingLayer::model, *settings, where, ErrorCode::model_invalid);
        defaults.settings = *settings;
    }
    if (reader.find("guide") != nullptr) defaults.guide = reader.string("guide");
    if (reader.find("judge") != nullptr) defaults.judge = reader.string("judge");
    if (const Json* dial = reader.find("dial")) defaults.dial = *dial;
    reader.finish();
    return defaults;
}

}  // namespace gass
