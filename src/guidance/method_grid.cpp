#include "guidance/method_grid.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "guidance/registry.h"

#include <algorithm>

namespace gass {
namespace {

bool has_parameter(const std::string& method, std::string_view key) {
    const std::vector<ParameterDescription> known = gass::method(method).parameters;
    return std::ranges::find(known, key, &ParameterDescription::name) != known.end();
}

}  // namespace

std::vector<std::string> with_grid(const std::vector<std::string>& methods, std::string_view grid) {
    const std::size_t equals = grid.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == grid.size())
        fail(ErrorCode::usage, SettingKey("grid"), "expected PARAMETER=VALUE,VALUE, got {}", in_quotes(grid));
    const std::string_view key = grid.substr(0, equals);
    std::vector<std::string> result;
    std::size_t found = 0;
    for (const std::string& method : methods) {
        MethodSpecs specs = parse_methods(method);
        const auto has_it = [&](const MethodSpec& spec) { return has_parameter(spec.name, key); };
        const auto owner = std::ranges::find_if(specs, has_it);
        if (owner == specs.end()) {
            result.push_back(method);
            continue;
        }
        found += static_cast<std::size_t>(std::ranges::count_if(specs, has_it));
        for (const std::string_view value : split(grid.substr(equals + 1), ',')) {
            owner->set(key, std::string(value));
            result.push_back(to_string(specs));
        }
    }
    if (found != 1) {
        fail(ErrorCode::usage, SettingKey("grid"),
             "{} of the methods have a parameter {}; name exactly one in `methods`", found, in_quotes(key));
    }
    return result;
}

}  // namespace gass
