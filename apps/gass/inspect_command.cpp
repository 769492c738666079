#include "command_line.h"
#include "core/fail.h"
#include "core/wording.h"
#include "io/file.h"
#include "io/image.h"
#include "io/infotext.h"
#include "io/model_folder.h"
#include "io/picture_format.h"
#include "io/safetensors.h"
#include "io/weights.h"
#include "output.h"

#include <filesystem>
#include <memory>

namespace gass::cli {
namespace {

namespace fs = std::filesystem;

Json shape_json(const TensorInfo& tensor) {
    return {{"name", tensor.name},
            {"dtype", to_string(tensor.dtype)},
            {"shape", tensor.shape},
            {"bytes", tensor.byte_count()}};
}

void inspect_safetensors(const fs::path& path, bool json) {
    const SafetensorsFile file(path);
    std::uint64_t parameters = 0;
    Json tensors = Json::array();
    Table table({"tensor", "type", "shape", "size"});
    for (const TensorInfo& tensor : file.tensors()) {
        parameters += tensor.element_count();
        if (json) {
            tensors.push_back(shape_json(tensor));
        } else {
            table.add({tensor.name, std::string(to_string(tensor.dtype)),
                       fmt::format("[{}]", fmt::join(tensor.shape, ", ")), human_bytes(tensor.byte_count())});
        }
    }
    if (json) {
        const Json result = {{"format", "safetensors"},
                             {"metadata", file.metadata()},
                             {"parameters", parameters},
                             {"tensors", std::move(tensors)}};
        return write_json("weights/1", result);
    }
    std::string out = fmt::format("safetensors: {}, {} parameters\n",
                                  counted(file.tensors().size(), "tensor"), human_count(parameters));
    for (const auto& [key, value] : file.metadata()) out += fmt::format("{}: {}\n", key, value);
    write_stdout(out + (file.tensors().empty() ? "" : "\n" + table.text()));
}

/// The A1111 text as its parts, if the image has one.
Json parameters_json(const ImageInfo& info) {
    const std::string* text = find_text(info, kParametersKey);
    if (text == nullptr) return nullptr;
    const Infotext parsed = parse_infotext(*text);
    return {{"prompt", parsed.prompt},
            {"negative_prompt", parsed.negative_prompt},
            {"fields", json_object({parsed.fields.begin(), parsed.fields.end()})}};
}

void inspect_image(const fs::path& path, bool json) {
    // Pixels are decoded too: a picture that cannot be shown is not sound.
    const ImageInfo info = read_image(path).info;
    if (json) {
        std::vector<std::pair<std::string, Json>> text;
        for (const ImageText& entry : info.text) text.emplace_back(entry.key, entry.value);
        const Json result = {{"format", info.format},
                             {"width", info.width},
                             {"height", info.height},
                             {"color", to_string(info.color)},
                             {"bit_depth", info.bit_depth},
                             {"orientation", info.orientation},
                             {"text", json_object(std::move(text))},
                             {"parameters", parameters_json(info)}};
        return write_json("picture/1", result);
    }
    std::string out = fmt::format("{}: {}x{}, {}, {} bits\n", info.format, info.width, info.height,
                                  to_string(info.color), info.bit_depth);
    if (info.orientation != 1) out += fmt::format("turned by its EXIF orientation {}\n", info.orientation);
    if (info.text.empty()) out += "no text inside\n";
    for (const ImageText& entry : info.text) {
        out += fmt::format("\n{}:\n{}\n", entry.key, entry.value);
    }
    write_stdout(out);
}

void inspect_json(const fs::path& path, bool json) {
    const Json value = parse_json(read_text_file(path), path.string());
    if (json) return write_json("json-file/1", {{"file", path.string()}, {"content", value}});
    if (!value.is_object() || !value.contains("weight_map")) return write_stdout(shown(value));
    const Weights weights = Weights::open_index(ModelFolder(path.parent_path()), path.filename());
    Table table({"shard", "tensors", "parameters"});
    for (const auto& file : weights.files()) {
        std::uint64_t parameters = 0;
        for (const TensorInfo& tensor : file->tensors()) parameters += tensor.element_count();
        table.add({file->path().filename().string(), std::to_string(file->tensors().size()),
                   human_count(parameters)});
    }
    write_stdout(fmt::format("sharded weights: {}, {} parameters\n\n",
                             counted(weights.entries().size(), "tensor"),
                             human_count(weights.parameter_count())) +
                 table.text());
}

/// A file of a model is held to its model's rule: it may not be a link that leads out.
fs::path checked_path(const fs::path& path) {
    const fs::path folder = enclosing_model_folder(path);
    if (folder.empty()) return path;
    const ModelFolder model(folder);
    return model.file(
        fs::absolute(path).lexically_normal().lexically_relative(fs::absolute(folder).lexically_normal()));
}

bool is_image(const fs::path& path) {
    return picture_format_of(MappedFile(path).bytes()) != nullptr;
}

}  // namespace

void add_inspect_command(CLI::App& app, CommandLine& line) {
    struct Options {
        std::string file;
        bool json = false;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command = add_command(
        app, line, "inspect",
        "Show and check one file: a picture's metadata, a safetensors head, a JSON file", [options] {
            const fs::path path = checked_path(options->file);
            if (fs::path(options->file).extension() == ".json") {
                inspect_json(path, options->json);
            } else if (has_picture_extension(options->file) || is_image(path)) {
                inspect_image(path, options->json);
            } else {
                inspect_safetensors(path, options->json);
            }
            return 0;
        });
    command->add_option("FILE", options->file, "a picture, a safetensors or a JSON file")
        ->required()
        ->type_name("");
    command->add_flag("--json", options->json, "print JSON");
}

}  // namespace gass::cli
