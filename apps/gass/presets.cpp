#include "presets.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/wording.h"
#include "io/file.h"
#include "io/model_lookup.h"

#include <fmt/ranges.h>

#include <string_view>

namespace gass::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".json";
constexpr std::string_view kFolder = "presets";

Json read_json(const fs::path& path) {
    try {
        return parse_json(read_text_file(path), path.string());
    } catch (const Error& error) {
        throw Error(ErrorCode::usage, error.where(), error.message());
    }
}

}  // namespace

Preset read_preset(const fs::path& path) {
    Preset preset{.name = path.stem().string(), .description = {}, .settings = read_json(path), .file = path};
    if (!preset.settings.is_object()) return preset;
    if (const auto text = preset.settings.find("description"); text != preset.settings.end()) {
        if (!text->is_string())
            fail(ErrorCode::usage, path.string(), "\"description\" must be a string, not {}",
                 text->type_name());
        preset.description = text->get<std::string>();
        preset.settings.erase(text);
    }
    return preset;
}

Preset find_preset(const std::string& name) {
    if (name.find('/') != std::string::npos || name.ends_with(kEnding)) return read_preset(name);
    std::vector<std::string> known;
    for (const fs::path& file : data_files(kFolder)) {
        known.push_back(file.stem().string());
        if (known.back() == name) return read_preset(file);
    }
    fail(ErrorCode::usage, "--preset", "no preset {}{}; there are {}", in_quotes(name),
         did_you_mean(name, known), fmt::join(known, ", "));
}

std::vector<Preset> list_presets() {
    std::vector<Preset> presets;
    for (const fs::path& file : data_files(kFolder)) presets.push_back(read_preset(file));
    return presets;
}

}  // namespace gass::cli
