#include "guidance/registry.h"

#include "core/fail.h"
#include "core/quote.h"
#include "guidance/cads.h"
#include "guidance/cfg.h"
#include "guidance/composite.h"
#include "guidance/dpp.h"
#include "guidance/gass.h"
#include "guidance/gass_paper.h"
#include "guidance/initial_noise.h"
#include "guidance/interval.h"
#include "guidance/parameters.h"
#include "guidance/particle_guidance.h"
#include "guidance/spell.h"

#include <fmt/ranges.h>

#include <array>
#include <type_traits>
#include <vector>

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
    const auto params = params_from<Params>(spec);
    if constexpr (std::is_constructible_v<Made, Params, MethodSetup>) {
        return std::make_unique<Made>(params, setup);
    } else if constexpr (std::is_constructible_v<Made, Params>) {
        return std::make_unique<Made>(params);
    } else {
        return std::make_unique<Made>();
    }
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

struct Row {
    std::string_view name;
    std::string_view help;
    std::string_view says;  ///< what it is worth, as the study on the embedded models found (docs/methods.md)
    std::string_view paper;
    std::unique_ptr<Method> (*make)(const MethodSpec&, const MethodSetup&);
    /// Shows a visitor the knobs as the spec sets them.
    void (*visit)(const MethodSpec&, ParameterVisitor&);
};

template <class Made, class Params>
constexpr Row row(std::string_view name, std::string_view help, std::string_view says,
                  std::string_view paper) {
    return {name, help, says, paper, make<Made, Params>, visit<Params>};
}

constexpr std::array kMethods{
    row<Method, NoParams>("none", "plain classifier-free guidance", "What the others are measured against.",
                          "Ho and Salimans 2022, arXiv:2207.12598"),
    row<Gass, GassParams>(
        "gass", "spreads the set where its layout is decided: starting noise, guidance, choice and push",
        "The most spread at equal CLIPScore on both embedded models, for a little more time; past strength "
        "0.5 images begin to miss the prompt.",
        "this program; after Zhu et al., GASS"),
    row<GassPaper, GassPaperParams>(
        "gass-paper",
        "the paper to the letter: random shifts on the sphere, carried to the pixels by gradients",
        "An independent encoder sees no change (Vendi within 0.1 % of plain), and it takes many times as "
        "long.",
        "Zhu et al., GASS: Geometry-Aware Spherical Sampling"),
    row<Cfg, CfgParams>("cfg", "guidance at a scale of its own",
                        "Costs nothing, and is the next best on mini-unet; loses the prompt and the density "
                        "of real pictures steadily.",
                        "Ho and Salimans 2022, arXiv:2207.12598"),
    row<IntervalGuidance, IntervalParams>(
        "interval", "guides in an interval of noise levels only",
        "Saves time, and is the next best on mini-flow; on mini-unet a lower CFG does better.",
        "Kynkäänniemi et al. 2024, arXiv:2404.07724"),
    row<Cads, CadsParams>("cads", "noises the prompt at first",
                          "The values of the paper do next to nothing; mild ones are level with interval "
                          "guidance, stronger ones fall behind.",
                          "Sadat et al. 2024, arXiv:2310.17347"),
    row<ParticleGuidance, ParticleGuidanceParams>(
        "pg", "Particle Guidance: a kernel drives the noisy latents apart",
        "A few per cent more spread at no price on mini-flow; on mini-unet the official coefficient breaks "
        "images.",
        "Corso et al. 2024, arXiv:2310.13102"),
    row<FeatureParticleGuidance, FeatureParticleGuidanceParams>(
        "pg-features", "Particle Guidance on the guide's features, by gradients",
        "Mild coefficients spread by a seventh at a small price on mini-flow; slow, and the official one "
        "breaks images.",
        "Corso et al. 2024, arXiv:2310.13102"),
    row<Spell, SpellParams>("spell", "SPELL: moves latents out of each other's and of a shield's way",
                            "Hardly spreads where it does no harm; keeping away from given pictures is what "
                            "no other method does.",
                            "Kirchhof et al. 2025, arXiv:2410.06025"),
    row<Dpp, DppParams>(
        "dpp", "raises a determinantal likelihood of the guide's features, by gradients",
        "Climbs the guide, and an independent encoder sees little of it at a high price in CLIPScore; slow.",
        "Morshed and Boddeti 2025 (DiverseFlow), arXiv:2504.07894"),
    row<InitialNoise, InitialNoiseParams>(
        "noise", "starting noise only: antithetic pairs, orthogonalised, or a larger coarse part",
        "Free; antithetic and orthogonal noise do not spread a set, a larger coarse part does and costs the "
        "prompt.",
        "Jia et al. 2025, arXiv:2506.06185 (antithetic)"),
};

constexpr std::string_view kShortInterval = "ig";  // as papers call it

const Row& row_of(const MethodSpec& spec) {
    std::vector<std::string_view> names;
    for (const Row& row : kMethods) {
        if (row.name == spec.name || (spec.name == kShortInterval && row.name == "interval")) return row;
        names.push_back(row.name);
    }
    fail(ErrorCode::usage, "--method", "no method {}; there are {}", in_quotes(spec.name),
         fmt::join(names, ", "));
}

/// Throws usage for methods that make no sense together, whatever their parameters.
void check_combination(const MethodSpecs& specs) {
    for (std::size_t i = 0; i < specs.size(); ++i) {
        if (specs.size() > 1 && specs[i].name == "none")
            fail(ErrorCode::usage, "--method", "none is no method that others could be combined with");
        if (i > 0 && specs[i].name == "cfg")
            fail(ErrorCode::usage, "--method",
                 "cfg sets the weight that others work on: it must stand first");
        for (std::size_t j = 0; j < i; ++j) {
            if (specs[i].name == specs[j].name)
                fail(ErrorCode::usage, "--method", "{} stands there twice", in_quotes(specs[i].name));
        }
    }
}

MethodSpecs checked(std::string_view text) {
    MethodSpecs specs = parse_methods(text);
    for (MethodSpec& spec : specs) {
        spec.name = row_of(spec).name;
    }
    check_combination(specs);
    return specs;
}

Json describe(const Row& row) {
    ParameterDescriber describer;
    row.visit({std::string(row.name), {}}, describer);
    return {{"name", row.name},
            {"help", row.help},
            {"says", row.says},
            {"paper", row.paper},
            {"parameters", std::move(describer.knobs)}};
}

}  // namespace

std::string method_name(std::string_view text) {
    MethodSpecs specs = checked(text);
    for (MethodSpec& spec : specs) spec.parameters.clear();
    return to_string(specs);
}

bool has_method(std::string_view text, std::string_view name) {
    MethodSpecs specs = checked(text);
    return find_method(specs, name) != nullptr;
}

std::unique_ptr<Method> make_method(std::string_view text, const MethodSetup& setup) {
    MethodSpecs specs = checked(text);
    std::vector<Composite::Part> parts;
    for (const MethodSpec& spec : specs) parts.push_back({spec.name, row_of(spec).make(spec, setup)});
    if (parts.size() == 1) return std::move(parts.front().method);
    auto together = std::make_unique<Composite>(std::move(parts), setup.images);
    const MethodSpec* noise = find_method(specs, "noise");
    const bool pairs = noise != nullptr && params_from<InitialNoiseParams>(*noise).kind == "antithetic";
    if (pairs && together->candidates(2) > 2) {
        fail(ErrorCode::usage, "--method",
             "antithetic noise would replace every second image that was chosen; set candidates=1 to choose "
             "none");
    }
    return together;
}

std::int64_t candidates_for(std::string_view text, std::int64_t images) {
    return make_method(text, {})->candidates(images);
}

bool needs_vision(std::string_view text) {
    return make_method(text, {})->looks();
}

std::optional<double> own_cfg_scale(std::string_view text) {
    MethodSpecs specs = checked(text);
    const MethodSpec* own = find_method(specs, "cfg");
    const double scale = own == nullptr ? 0.0 : params_from<CfgParams>(*own).scale;
    return scale > 0.0 ? std::optional(scale) : std::nullopt;
}

std::string complete_method(std::string_view text, const Dial& dial, bool can_look) {
    MethodSpecs specs = checked(text);
    for (MethodSpec& spec : specs) {
        if (spec.name == "gass") spec = dial.apply(spec, can_look);
        ParameterWriter writer;
        row_of(spec).visit(spec, writer);
        spec.parameters = std::move(writer.values);
    }
    const std::string complete = to_string(specs);
    make_method(complete, {});  // throws what cannot be combined
    return complete;
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
