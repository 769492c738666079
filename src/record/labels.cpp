#include "record/labels.h"

#include "guidance/text/method_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace gass {
namespace {

std::string short_one(std::string_view method) {
    const std::size_t colon = method.find(':');
    std::string name(method.substr(0, colon));
    if (colon == std::string_view::npos) return name;
    std::vector<std::string> parameters;
    for (std::string_view rest = method.substr(colon + 1); !rest.empty();) {
        const std::string_view item = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), item.size() + 1));
        std::string shown(item);
        std::replace(shown.begin(), shown.end(), '=', ' ');
        if (item.starts_with("strength=")) return name + ", " + shown;
        if (parameters.size() < 2) parameters.push_back(std::move(shown));
    }
    return parameters.empty() ? name : fmt::format("{}, {}", name, fmt::join(parameters, ", "));
}

}  // namespace

std::string model_label(std::string_view model) {
    const std::filesystem::path path = model;
    return (path.has_filename() ? path : path.parent_path()).filename().string();
}

std::string method_label(std::string_view method) {
    std::vector<std::string_view> names;
    for (const std::string_view one : split_methods(method)) names.push_back(one.substr(0, one.find(':')));
    return fmt::format("{}", fmt::join(names, "+"));
}

std::string short_method(std::string_view method) {
    std::vector<std::string> parts;
    for (const std::string_view one : split_methods(method)) parts.push_back(short_one(one));
    return fmt::format("{}", fmt::join(parts, " + "));
}

std::string spaced_method(std::string_view method) {
    std::string out;
    for (const char c : method) {
        out += c;
        if (c == ':' || c == ',') out += ' ';
    }
    return out;
}

}  // namespace gass
