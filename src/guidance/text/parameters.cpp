#include "guidance/text/parameters.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "core/wording.h"
#include "guidance/text/method_list.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace gass {

const std::string* MethodSpec::find(std::string_view key) const {
    const auto own = std::ranges::find(parameters, key, [](const auto& pair) { return pair.first; });
    return own == parameters.end() ? nullptr : &own->second;
}

void MethodSpec::set(std::string_view key, std::string value) {
    std::erase_if(parameters, [&](const auto& own) { return own.first == key; });
    parameters.emplace_back(key, std::move(value));
}

void MethodSpec::set_if_open(std::string_view key, std::string value) {
    if (find(key) == nullptr) parameters.emplace_back(key, std::move(value));
}

namespace {

MethodSpec parse_one(std::string_view text) {
    MethodSpec spec;
    const std::size_t colon = std::min(text.find(':'), text.size());
    spec.name = text.substr(0, colon);
    if (colon == text.size()) return spec;
    for (const std::string_view part : split(text.substr(colon + 1), ',')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos || equals == 0)
            fail(ErrorCode::usage, SettingKey("method"), "expected NAME:KEY=VALUE,KEY=VALUE, got {}",
                 in_quotes(text));
        std::string_view key = part.substr(0, equals);
        if (spec.name == "gass" && key == "k") key = "candidates";  // k for short
        if (spec.find(key) != nullptr)
            fail(ErrorCode::usage, SettingKey("method"), "{} is given twice", in_quotes(key));
        spec.parameters.emplace_back(key, part.substr(equals + 1));
    }
    return spec;
}

std::string to_string(const MethodSpec& spec) {
    std::string text = spec.name;
    char separator = ':';
    for (const auto& [key, value] : spec.parameters) {
        text += separator + key + "=" + value;
        separator = ',';
    }
    return text;
}

}  // namespace

MethodSpecs parse_methods(std::string_view text) {
    constexpr std::size_t kLongest = 4096;
    if (text.size() > kLongest)
        fail(ErrorCode::usage, SettingKey("method"), "{} bytes; at most {} are taken", text.size(), kLongest);
    MethodSpecs specs;
    for (const std::string_view method : split_methods(text)) specs.push_back(parse_one(method));
    return specs;
}

std::string to_string(const MethodSpecs& specs) {
    std::string text;
    for (const MethodSpec& spec : specs) text += (text.empty() ? "" : "+") + to_string(spec);
    return text;
}

const std::string* ParameterSetter::find(std::string_view name) {
    known_.emplace_back(name);
    for (std::size_t i = 0; i < spec_.parameters.size(); ++i) {
        if (spec_.parameters[i].first != name) continue;
        used_[i] = true;
        return &spec_.parameters[i].second;
    }
    return nullptr;
}

void ParameterSetter::refuse(std::string_view name, const std::string& value,
                             const std::string& expected) const {
    fail(ErrorCode::usage, SettingKey("method"), "{}:{}: expected {}, got {}", spec_.name, name, expected,
         in_quotes(value));
}

void ParameterSetter::number(std::string_view name, double& value, Range range, std::string_view) {
    const std::string* text = find(name);
    if (text == nullptr) return;
    const auto parsed = parse_number<double>(*text);
    if (!parsed || !(*parsed >= range.minimum && *parsed <= range.maximum))  // NaN is in no range
        refuse(name, *text, fmt::format("{} to {}", range.minimum, range.maximum));
    value = *parsed;
}

void ParameterSetter::integer(std::string_view name, std::int64_t& value, Range range, std::string_view) {
    const std::string* text = find(name);
    if (text == nullptr) return;
    const auto parsed = parse_number<std::int64_t>(*text);
    const auto shown = static_cast<double>(parsed.value_or(0));
    if (!parsed || shown < range.minimum || shown > range.maximum)
        refuse(name, *text, fmt::format("a whole number, {} to {}", range.minimum, range.maximum));
    value = *parsed;
}

void ParameterSetter::boolean(std::string_view name, bool& value, std::string_view) {
    const std::string* text = find(name);
    if (text == nullptr) return;
    const bool on = *text == "on" || *text == "true" || *text == "1";
    const bool off = *text == "off" || *text == "false" || *text == "0";
    if (!on && !off) refuse(name, *text, "on or off");
    value = on;
}

void ParameterSetter::choice(std::string_view name, std::string& value, std::string_view choices,
                             std::string_view) {
    const std::string* text = find(name);
    if (text == nullptr) return;
    const std::vector<std::string_view> known = split(choices, '|');
    if (std::ranges::find(known, *text) == known.end())
        refuse(name, *text, fmt::format("{}", fmt::join(known, " or ")));
    value = *text;
}

void ParameterSetter::finish() const {
    for (std::size_t i = 0; i < used_.size(); ++i) {
        if (used_[i]) continue;
        const std::string& name = spec_.parameters[i].first;
        fail(ErrorCode::usage, SettingKey("method"), "{} has no parameter {}{}; it has {}", spec_.name,
             in_quotes(name), did_you_mean(name, known_),
             known_.empty() ? "none" : fmt::format("{}", fmt::join(known_, ", ")));
    }
}

void ParameterWriter::number(std::string_view name, double& value, Range, std::string_view) {
    values.emplace_back(name, fmt::format("{}", value));  // the shortest text that reads as this number
}

void ParameterWriter::integer(std::string_view name, std::int64_t& value, Range, std::string_view) {
    values.emplace_back(name, std::to_string(value));
}

void ParameterWriter::boolean(std::string_view name, bool& value, std::string_view) {
    values.emplace_back(name, value ? "on" : "off");
}

void ParameterWriter::choice(std::string_view name, std::string& value, std::string_view, std::string_view) {
    values.emplace_back(name, value);
}

ParameterDescription& ParameterDescriber::add(std::string_view name, ParameterDescription::Type type,
                                              std::string_view help) {
    ParameterDescription& own = parameters.emplace_back();
    own.name = name;
    own.type = type;
    own.help = help;
    return own;
}

void ParameterDescriber::number(std::string_view name, double& value, Range range, std::string_view help) {
    ParameterDescription& own = add(name, ParameterDescription::Type::number, help);
    own.initial = value;
    own.minimum = range.minimum;
    own.maximum = range.maximum;
}

void ParameterDescriber::integer(std::string_view name, std::int64_t& value, Range range,
                                 std::string_view help) {
    ParameterDescription& own = add(name, ParameterDescription::Type::integer, help);
    own.initial = value;
    own.minimum = range.minimum;
    own.maximum = range.maximum;
}

void ParameterDescriber::boolean(std::string_view name, bool& value, std::string_view help) {
    add(name, ParameterDescription::Type::boolean, help).initial = value;
}

void ParameterDescriber::choice(std::string_view name, std::string& value, std::string_view choices,
                                std::string_view help) {
    ParameterDescription& own = add(name, ParameterDescription::Type::choice, help);
    own.initial = value;
    for (const std::string_view one : split(choices, '|')) own.choices.emplace_back(one);
}

std::string without_later_knobs(std::string_view methods) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kLater{
        {{"match", "0"}, {"early_steps", "0"}, {"weaken", "0"}}};
    MethodSpecs specs = parse_methods(methods);
    for (MethodSpec& spec : specs) {
        if (spec.name != "gass") continue;
        std::erase_if(spec.parameters, [](const std::pair<std::string_view, std::string_view>& parameter) {
            return std::ranges::find(kLater, parameter) != kLater.end();
        });
    }
    return to_string(specs);
}

}  // namespace gass
