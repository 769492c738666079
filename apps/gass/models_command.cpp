#include "catalog/model.h"
#include "core/fail.h"
#include "core/log.h"
#include "engine.h"
#include "io/model_lookup.h"
#include "output.h"

#include <set>
#include <utility>

namespace gass::cli {
namespace {

/// "F16", or "F16, F32" if a network mixes them.
std::string dtypes(const Weights& weights) {
    std::set<std::string> names;
    for (const Weights::Entry& entry : weights.entries()) names.emplace(to_string(entry.tensor->dtype));
    return fmt::format("{}", fmt::join(names, ", "));
}

Json describe(const Model& model) {
    Json json = describe_location(model.location);
    json["class"] = model.class_name;
    json["parameters"] = model.parameter_count();
    json["bytes"] = model.byte_count();
    json["components"] = Json::array();
    for (const ModelComponent& part : model.components) {
        Json row = {{"name", part.name}, {"class", part.class_name}, {"kind", to_string(part.kind)}};
        if (part.weights) {
            row["parameters"] = part.weights->parameter_count();
            row["bytes"] = part.weights->byte_count();
            row["tensors"] = part.weights->entries().size();
            row["dtype"] = dtypes(*part.weights);
            row["files"] = Json::array();
            for (const auto& file : part.weights->files()) {
                row["files"].push_back(file->path().lexically_relative(model.folder.root()).string());
            }
        }
        json["components"].push_back(std::move(row));
    }
    json["defaults"] = model.defaults.settings;
    if (!model.defaults.guide.empty()) json["guide"] = model.defaults.guide;
    if (!model.defaults.judge.empty()) json["judge"] = model.defaults.judge;
    return json;
}

void show(const Model& model) {
    std::string out = fmt::format("{}: {}, {} parameters, {}\n", model.location.name, model.class_name,
                                  human_count(model.parameter_count()), human_bytes(model.byte_count()));
    out += fmt::format("{} {}\n", to_string(model.location.source), model.location.path.string());
    if (!model.location.revision.empty()) out += fmt::format("revision {}\n", model.location.revision);
    out += "\n";

    Table table({"component", "class", "parameters", "size", "type", "tensors", "files"});
    for (const ModelComponent& part : model.components) {
        if (part.weights) {
            const Weights& weights = *part.weights;
            const std::size_t files = weights.files().size();
            table.add({part.name, part.class_name, human_count(weights.parameter_count()),
                       human_bytes(weights.byte_count()), dtypes(weights),
                       std::to_string(weights.entries().size()),
                       files == 1 ? weights.files().front()->path().filename().string()
                                  : fmt::format("{} shards", files)});
        } else {
            table.add({part.name, part.class_name});
        }
    }
    out += table.text();
    if (!model.defaults.settings.empty()) {
        out += "\ndefaults:";
        for (const auto& [key, value] : model.defaults.settings.items())
            out += fmt::format(" {}={}", key, value.dump());
        out += "\n";
    }
    if (!model.defaults.guide.empty()) out += fmt::format("guided by {}\n", model.defaults.guide);
    if (!model.defaults.judge.empty()) out += fmt::format("judged by {}\n", model.defaults.judge);
    write_stdout(out);
}

int list(const ModelsOptions& options) {
    Json json = Json::array();
    Table table({"name", "class", "parameters", "size", "where"});
    for (const ModelLocation& location : list_models()) {
        try {
            const Model model = open_model(location);
            json.push_back(describe_location(location));
            json.back()["class"] = model.class_name;
            json.back()["parameters"] = model.parameter_count();
            json.back()["bytes"] = model.byte_count();
            table.add({location.name, model.class_name, human_count(model.parameter_count()),
                       human_bytes(model.byte_count()), std::string(to_string(location.source))});
        } catch (const Error& error) {
            log::warn("{}", error.what());
            json.push_back(describe_location(location));
            json.back()["error"] = error.what();
            table.add({location.name, "(cannot be opened)", "", "", std::string(to_string(location.source))});
        }
    }
    if (options.json)
        write_json("models/1", {{"models", std::move(json)}});
    else
        write_stdout(table.text());
    return 0;
}

int inspect(const ModelsOptions& options) {
    Json models = Json::array();
    for (const std::string& name : options.names) {
        const Model model = open_model(find_model(name), options.variant);
        if (options.json)
            models.push_back(describe(model));
        else
            show(model);
    }
    if (models.size() == 1)
        write_json("model/1", models.front());
    else if (options.json)
        write_json("model-list/1", {{"models", std::move(models)}});
    return 0;
}

}  // namespace

void add_models_command(CLI::App& app, CommandLine& line) {
    CLI::App* models = app.add_subcommand("models", "List, inspect and verify models");
    models->require_subcommand(1);
    models->footer("");
    const auto options = std::make_shared<ModelsOptions>();
    const auto add = [&](const char* name, const char* description, std::function<int()> action) {
        CLI::App* command = add_command(*models, line, name, description, std::move(action));
        command->add_flag("--json", options->json, "print JSON");
        return command;
    };
    const auto add_model = [&](CLI::App* command, const char* help) {
        command->add_option("--variant", options->variant,
                            "variant of the weight files to take where it exists, fp16 for instance");
        return command->add_option("MODEL", options->names, help)->type_name("");
    };
    add("list", "The embedded models and those in the Hugging Face cache", [=] { return list(*options); });
    add_model(
        add("inspect", "What a model consists of; reads file heads only", [=] { return inspect(*options); }),
        "embedded model, folder, or org/name")
        ->required();
    add_model(add("verify", "Read every file and every weight and report what is wrong",
                  [=, &line] { return verify_models(line, *options); }),
              "embedded model, folder, or org/name (default: all embedded)");
}

}  // namespace gass::cli
