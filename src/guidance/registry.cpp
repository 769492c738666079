#include "guidance/registry.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/wording.h"
#include "guidance/cads.h"
#include "guidance/cfg.h"
#include "guidance/composite.h"
#include "guidance/dpp.h"
#include "guidance/gass.h"
#include "guidance/gass_paper.h"
#include "guidance/initial_noise.h"
#include "guidance/interval.h"
#include "guidance/particle_guidance.h"
#include "guidance/spell.h"
#include "guidance/weaken.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace gass {

struct MethodRow {
    std::string_view name;
    std::string_view help;
    std::string_view verdict;  ///< as the study on the embedded models found (docs/methods.md)
    std::string_view paper;
    std::shared_ptr<const MethodParameters> (*read)(const MethodSpec&);
};

namespace {

/// Plain guidance has no knobs.
struct NoParams {
    void visit(ParameterVisitor&) {}
};

template <class Made, class Params>
class ParametersOf final : public MethodParameters {
  public:
    explicit ParametersOf(const MethodSpec& spec) {
        ParameterSetter setter(spec);
        params_.visit(setter);
        setter.finish();
    }

    void visit(ParameterVisitor& visitor) const override {
        Params copy = params_;
        copy.visit(visitor);
    }
    MethodTraits traits() const override {
        if constexpr (requires { params_.traits(); }) {
            return params_.traits();
        } else {
            return {};
        }
    }
    std::unique_ptr<Method> make(const MethodSetup& setup) const override {
        if constexpr (std::is_constructible_v<Made, Params, MethodSetup>) {
            return std::make_unique<Made>(params_, setup);
        } else if constexpr (std::is_constructible_v<Made, Params>) {
            return std::make_unique<Made>(params_);
        } else {
            return std::make_unique<Made>();
        }
    }

  private:
    Params params_;
};

template <class Made, class Params>
constexpr MethodRow row(std::string_view name, std::string_view help, std::string_view verdict,
                        std::string_view paper) {
    return {name, help, verdict, paper,
            [](const MethodSpec& spec) -> std::shared_ptr<const MethodParameters> {
                return std::make_shared<ParametersOf<Made, Params>>(spec);
            }};
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
    row<Weaken, WeakenParams>("weaken", "the first steps see less of the prompt",
                              "For distilled models, which have no guidance to leave out: free, and spreads "
                              "at the price of the prompt, which a choice among candidates wins back (gass).",
                              "this program"),
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

const MethodRow& row_of(std::string_view name) {
    std::vector<std::string_view> names;
    for (const MethodRow& row : kMethods) {
        if (row.name == name || (name == kShortInterval && row.name == "interval")) return row;
        names.push_back(row.name);
    }
    fail(ErrorCode::usage, SettingKey("method"), "no method {}{}; there are {}", in_quotes(name),
         did_you_mean(name, names), fmt::join(names, ", "));
}

MethodDescription described(const MethodRow& row) {
    ParameterDescriber describer;
    row.read({std::string(row.name), {}})->visit(describer);
    return {std::string(row.name), std::string(row.help), std::string(row.verdict), std::string(row.paper),
            std::move(describer.parameters)};
}

}  // namespace

std::vector<MethodDescription> methods() {
    std::vector<MethodDescription> all;
    for (const MethodRow& row : kMethods) all.push_back(described(row));
    return all;
}

MethodDescription method(std::string_view name) {
    return described(row_of(name));
}

Methods::Part Methods::part_of(MethodSpec spec) {
    const MethodRow& row = row_of(spec.name);
    spec.name = row.name;
    auto parameters = row.read(spec);
    return {&row, std::move(spec), std::move(parameters)};
}

template <class Trait>
bool Methods::any(const Trait& trait) const {
    return std::ranges::any_of(parts_, [&](const Part& part) { return trait(part.traits()); });
}

Methods::Methods(std::string_view text) {
    for (MethodSpec& spec : parse_methods(text)) parts_.push_back(part_of(std::move(spec)));
    check_names();
}

/// What makes no sense together, whatever its parameters.
void Methods::check_names() const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const std::string& name = parts_[i].spec.name;
        if (parts_.size() > 1 && name == "none") {
            fail(ErrorCode::usage, SettingKey("method"), "none cannot be combined with other methods");
        }
        if (i > 0 && parts_[i].traits().sets_guidance) {
            fail(ErrorCode::usage, SettingKey("method"),
                 "{} sets the weight that others work on: it must come first", name);
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (parts_[j].spec.name == name)
                fail(ErrorCode::usage, SettingKey("method"), "{} is given twice", in_quotes(name));
        }
    }
}

/// What cannot be combined with these parameters.
void Methods::check_traits() const {
    const Part* choosing = nullptr;
    const Part* steering = nullptr;
    for (const Part& part : parts_) {
        const MethodTraits traits = part.traits();
        if (traits.candidates > 1) {
            if (choosing != nullptr) {
                fail(ErrorCode::usage, SettingKey("method"), "{} and {} both choose images; only one can",
                     choosing->spec.name, part.spec.name);
            }
            choosing = &part;
        }
        if (!traits.injection) continue;
        if (steering != nullptr && steering->traits().injection != traits.injection) {
            fail(ErrorCode::usage, SettingKey("method"),
                 "{} and {} put what they steer back in different ways; gass:injection=rederive does as "
                 "the others",
                 steering->spec.name, part.spec.name);
        }
        steering = &part;
    }
    if (choosing != nullptr && any([](const MethodTraits& traits) { return traits.pairs_images; })) {
        fail(ErrorCode::usage, SettingKey("method"),
             "antithetic noise would replace every second image that was chosen; set candidates=1 to choose "
             "none");
    }
}

Methods::Part* Methods::dial_owner() {
    const auto owner = std::ranges::find_if(parts_, [](const Part& part) { return part.traits().has_dial; });
    return owner == parts_.end() ? nullptr : &*owner;
}

void Methods::set_dial(std::string_view key, double value) {
    Part* owner = dial_owner();
    if (owner == nullptr) {
        fail(ErrorCode::usage, SettingKey(key), "the method {} has no such dial; gass has it",
             in_quotes(text()));
    }
    MethodSpec spec = owner->spec;
    spec.set(key, fmt::format("{}", value));
    *owner = part_of(std::move(spec));
}

void Methods::keep_noise() {
    Part* owner = dial_owner();
    if (owner == nullptr) return;
    MethodSpec spec = owner->spec;
    for (const auto& [key, value] : {std::pair{"start", "0"}, {"mean_scale", "1"}, {"candidates", "1"}})
        spec.set_if_open(key, value);
    *owner = part_of(std::move(spec));
}

bool Methods::need_dial() const {
    return std::ranges::any_of(
        parts_, [](const Part& part) { return part.traits().has_dial && Dial::turns(part.spec); });
}

Methods Methods::completed(const Dial& dial, bool can_look) const {
    Methods complete = *this;
    for (Part& part : complete.parts_) {
        if (part.traits().has_dial) part = part_of(dial.apply(part.spec, can_look));
        ParameterWriter writer;
        part.parameters->visit(writer);
        part.spec.parameters = std::move(writer.values);
    }
    complete.check_traits();
    return complete;
}

std::string Methods::name() const {
    MethodSpecs specs;
    for (const Part& part : parts_) specs.push_back({part.spec.name, {}});
    return to_string(specs);
}

std::string Methods::text() const {
    MethodSpecs specs;
    for (const Part& part : parts_) specs.push_back(part.spec);
    return to_string(specs);
}

bool Methods::look() const {
    return any([](const MethodTraits& traits) { return traits.looks; });
}

bool Methods::have_dial() const {
    return any([](const MethodTraits& traits) { return traits.has_dial; });
}

bool Methods::take_axes() const {
    return any([](const MethodTraits& traits) { return traits.takes_axes; });
}

bool Methods::take_shield() const {
    return any([](const MethodTraits& traits) { return traits.takes_shield; });
}

bool Methods::keep_away() const {
    return any([](const MethodTraits& traits) { return traits.keeps_away; });
}

bool Methods::weaken() const {
    return any([](const MethodTraits& traits) { return traits.weakens; });
}

std::optional<double> Methods::cfg_scale() const {
    for (const Part& part : parts_) {
        if (const double scale = part.traits().cfg_scale; scale > 0) return scale;
    }
    return std::nullopt;
}

std::int64_t Methods::candidates(std::int64_t images, bool has_company) const {
    // One image has nobody to differ from: the candidate farthest out would only be the oddest.
    if (images == 1 && !has_company) return 1;
    std::int64_t most = 1;
    for (const Part& part : parts_) most = std::max(most, part.traits().candidates);
    return images * most;
}

std::unique_ptr<Method> Methods::make(const MethodSetup& setup) const {
    check_traits();
    std::vector<std::unique_ptr<Method>> made;
    std::optional<std::size_t> choosing;
    for (const Part& part : parts_) {
        if (part.traits().candidates > 1) choosing = made.size();
        made.push_back(part.parameters->make(setup));
    }
    if (made.size() == 1) return std::move(made.front());
    return std::make_unique<Composite>(std::move(made), choosing, setup.images);
}

}  // namespace gass
