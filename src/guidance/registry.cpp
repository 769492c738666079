#include "guidance/registry.h"

#include "core/fail.h"
#include "core/quote.h"
#include "guidance/cads.h"
#include "guidance/gass.h"
#include "guidance/gass_paper.h"
#include "guidance/interval.h"
#include "guidance/parameters.h"

#include <fmt/ranges.h>

#include <array>
#include <type_traits>

namespace gass {
namespace {

template <class Params>
Params params_from(const MethodSpec& spec) {
    Params params;
    ParameterSetter setter(spec);
    params.visit(setter);
    setter.finish();
    return params;
}

template <class Made, class Params>
std::unique_ptr<Method> make(const MethodSpec& spec, const MethodSetup& setup) {
    return std::make_unique<Made>(params_from<Params>(spec), setup);
}

template <class Params>
void visit(const MethodSpec& spec, ParameterVisitor& visitor) {
    auto params = params_from<Params>(spec);
    params.visit(visitor);
}

/// Plain guidance has no knobs.
struct NoParams {
    void visit(ParameterVisitor&) {}
};

template <class Made, class Params>
std::unique_ptr<Method> make_without_setup(const MethodSpec& spec, const MethodSetup&) {
    const auto params = params_from<Params>(spec);
    if constexpr (std::is_constructible_v<Made, Params>) {
        return std::make_unique<Made>(params);
    } else {
        return std::make_unique<Made>();
    }
}

struct Row {
    std::string_view name;
    std::string_view help;
    std::unique_ptr<Method> (*make)(const MethodSpec&, const MethodSetup&);
    /// Shows a visitor the knobs as the spec sets them.
    void (*visit)(const MethodSpec&, ParameterVisitor&);
};

constexpr std::array kMethods{
    Row{"none", "plain classifier-free guidance", make_without_setup<Method, NoParams>, visit<NoParams>},
    Row{"gass", "spreads the set where its layout is decided: starting noise, guidance, choice and push",
        make<Gass, GassParams>, visit<GassParams>},
    Row{"gass-paper",
        "the paper to the letter: random shifts on the sphere, carried to the pixels by gradients",
        make<GassPaper, GassPaperParams>, visit<GassPaperParams>},
    Row{"interval", "guides in an interval of times only",
        make_without_setup<IntervalGuidance, IntervalParams>, visit<IntervalParams>},
    Row{"cads", "noises the prompt at first", make_without_setup<Cads, CadsParams>, visit<CadsParams>},
};

const Row& row_of(const MethodSpec& spec) {
    std::vector<std::string_view> names;
    for (const Row& row : kMethods) {
        if (row.name == spec.name) return row;
        names.push_back(row.name);
    }
    fail(ErrorCode::usage, "--method", "no method {}; there are {}", in_quotes(spec.name),
         fmt::join(names, ", "));
}

Json describe(const Row& row) {
    ParameterDescriber describer;
    row.visit({std::string(row.name), {}}, describer);
    return {{"name", row.name}, {"help", row.help}, {"parameters", std::move(describer.knobs)}};
}

}  // namespace

std::string method_name(std::string_view text) {
    return std::string(text.substr(0, text.find(':')));
}

std::unique_ptr<Method> make_method(std::string_view text, const MethodSetup& setup) {
    const MethodSpec spec = parse_method(text);
    return row_of(spec).make(spec, setup);
}

std::int64_t candidates_for(std::string_view text, std::int64_t images) {
    return make_method(text, {})->candidates(images);
}

bool needs_vision(std::string_view text) {
    return make_method(text, {})->looks();
}

std::string complete_method(std::string_view text, const Dial& dial, bool can_look) {
    MethodSpec spec = parse_method(text);
    if (spec.name == "gass") spec = dial.apply(spec, can_look);
    ParameterWriter writer;
    row_of(spec).visit(spec, writer);
    return to_string(MethodSpec{spec.name, std::move(writer.values)});
}

Json describe_methods(std::string_view name) {
    Json methods = Json::array();
    if (!name.empty()) {
        methods.push_back(describe(row_of({std::string(name), {}})));
        return methods;
    }
    for (const Row& row : kMethods) methods.push_back(describe(row));
    return methods;
}

}  // namespace gass
