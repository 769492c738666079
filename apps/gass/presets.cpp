#include "presets.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/wording.h"
#include "io/file.h"
#include "io/model_lookup.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <system_error>

namespace gass::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".json";

fs::path presets_folder() {
    return data_folder() / "presets";
}

std::vector<std::string> preset_names() {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(presets_folder(), error)) {
        if (entry.path().extension() == kEnding) names.push_back(entry.path().stem().string());
    }
    std::ranges::sort(names);
    return names;
}

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
    const std::vector<std::string> known = preset_names();
    if (std::ranges::find(known, name) == known.end())
        fail(ErrorCode::usage, "--preset", "no preset {}{}; there are {}", in_quotes(name),
             did_you_mean(name, known), fmt::join(known, ", "));
    return read_preset(presets_folder() / (name + std::string(kEnding)));
}

std::vector<Preset> list_presets() {
    std::vector<Preset> presets;
    for (const std::string& name : preset_names()) presets.push_back(find_preset(name));
    return presets;
}

}  // namespace gass::cli
