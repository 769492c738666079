#include "catalog/model.h"
#include "catalog/verify.h"
#include "command_line.h"
#include "core/fail.h"
#include "core/log.h"
#include "io/model_lookup.h"
#include "output.h"

#include <set>
#include <utility>

namespace gass::cli {
namespace {

struct ModelsOptions {
    std::vector<std::string> names;
    std::string variant;
    bool json = false;
};

/// "F16", or "F16, F32" if a network mixes them.
std::string dtypes(const Weights& weights) {
    std::set<std::string> names;
    for (const Weights::Entry& entry : weights.entries()) names.emplace(to_string(entry.tensor->dtype));
    return fmt::format("{}", fmt::join(names, ", "));
}

Json describe_location(const ModelLocation& location) {
    Json json = {
        {"name", location.name}, {"source", to_string(location.source)}, {"path", location.path.string()}};
    if (!location.revision.empty()) json["revision"] = location.revision;
    return json;
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
    write_stdout(options.json ? Json{{"models", json}}.dump(2) + "\n" : table.text());
    return 0;
}

int inspect(const ModelsOptions& options) {
    for (const std::string& name : options.names) {
        const Model model = open_model(find_model(name), options.variant);
        if (options.json) {
            write_stdout(describe(model).dump(2) + "\n");
        } else {
            show(model);
        }
    }
    return 0;
}

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

int verify(const ModelsOptions& options) {
    bool all_ok = true;
    Json json = Json::array();
    for (const ModelLocation& location : models_to_verify(options.names)) {
        const Verification result = verify_model(location, options.variant);
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
            write_stdout(fmt::format("{}: ok ({} files, {} tensors, {} values, all finite)\n", location.name,
                                     result.files, result.tensors, human_count(result.parameters)));
        } else {
            write_stdout(fmt::format("{}: {} problem{}\n", location.name, result.problems.size(),
                                     result.problems.size() == 1 ? "" : "s"));
        }
    }
    if (options.json) write_stdout(Json{{"models", json}}.dump(2) + "\n");
    return all_ok ? 0 : exit_status(ErrorCode::model_invalid);
}

}  // namespace

void add_models_command(CLI::App& app, CommandLine& line) {
    CLI::App* models = app.add_subcommand("models", "List, inspect and verify models");
    models->require_subcommand(1);
    models->footer("");
    const auto options = std::make_shared<ModelsOptions>();
    const auto add = [&](const char* name, const char* description, int (*action)(const ModelsOptions&)) {
        CLI::App* command = add_command(*models, line, name, description, [=] { return action(*options); });
        command->add_flag("--json", options->json, "print JSON");
        return command;
    };
    add("list", "The embedded models and those in the Hugging Face cache", list);

    CLI::App* inspect_command = add("inspect", "What a model consists of; reads heads only", inspect);
    inspect_command->add_option("MODEL", options->names, "embedded model, folder, or org/name")->required();
    inspect_command->add_option("--variant", options->variant,
                                "weight files to take where they exist, fp16 for instance");

    CLI::App* verify_command =
        add("verify", "Read every file and every weight and report what is wrong", verify);
    verify_command->add_option("MODEL", options->names,
                               "embedded model, folder, or org/name (default: all embedded)");
    verify_command->add_option("--variant", options->variant,
                               "weight files to take where they exist, fp16 for instance");
}

}  // namespace gass::cli
