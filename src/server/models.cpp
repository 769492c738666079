#include "server/models.h"

#include "catalog/model.h"
#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "core/wording.h"
#include "io/model_lookup.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace gass::server {
namespace {

constexpr std::string_view kFirstChoice = "mini-turbo";
constexpr double kGigabyte = 1e9;

template <class Value>
std::optional<Value> default_of(const Json& settings, const char* key) {
    const auto found = settings.find(key);
    return found == settings.end() ? std::nullopt : std::optional(found->get<Value>());
}

ModelCard card_of(const Model& model) {
    const Json& settings = model.defaults.settings;
    ModelCard card{.name = model.location.name, .class_name = model.class_name};
    card.family = model.class_name == "StableDiffusion3Pipeline" || model.class_name.starts_with("Flux")
                      ? "flow"
                      : "diffusion";
    card.width = default_of<std::int64_t>(settings, "width");
    card.height = default_of<std::int64_t>(settings, "height");
    card.steps = default_of<std::int64_t>(settings, "steps");
    card.cfg_scale = default_of<double>(settings, "cfg_scale");
    card.is_distilled = card.cfg_scale && *card.cfg_scale <= 1;
    card.description = fmt::format("{}, {} parameters{}", model.class_name, model.parameter_count(),
                                   card.is_distilled ? ", needs no guidance" : "");
    return card;
}

/// Every pipeline that is here; the quickest of ours first, that a page should begin with.
std::vector<ModelCard> all_cards() {
    std::vector<ModelCard> cards;
    for (const ModelLocation& location : list_models()) {
        try {
            const Model model = open_model(location);
            if (!model.class_name.ends_with("Pipeline")) continue;
            cards.push_back(card_of(model));
        } catch (const Error& error) {
            log::debug("{} is left out: {}", location.name, error.what());
        }
    }
    std::ranges::stable_partition(cards, [](const ModelCard& card) { return card.name == kFirstChoice; });
    return cards;
}

/// What models may take where nobody said it: half of the machine's memory, on a GPU all that it has until it
/// is full.
std::uint64_t usual_budget(std::string_view device) {
    if (device != "cpu") return UINT64_MAX;
    return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE)) / 2;
}

}  // namespace

Json to_json(const ModelCard& card, bool is_loaded, bool is_default) {
    const auto optional = [](const auto& value) { return value ? Json(*value) : Json(); };
    return {{"name", card.name},
            {"is_loaded", is_loaded},
            {"is_default", is_default},
            {"family", card.family},
            {"is_distilled", card.is_distilled},
            {"width", optional(card.width)},
            {"height", optional(card.height)},
            {"steps", optional(card.steps)},
            {"cfg_scale", optional(card.cfg_scale)},
            {"description", card.description}};
}

Models::Models(const EngineOptions& base, const std::vector<std::string>& names,
               const std::vector<std::string>& devices)
    : base_(base), devices_(devices), slots_(devices.size()) {
    if (names.empty()) cards_ = all_cards();
    for (const std::string& name : names)
        cards_.push_back(card_of(open_model(find_model(name), base.variant)));
    if (cards_.empty())
        fail(ErrorCode::model_not_found, SettingKey("model"), "there is no model here to make sets with");
    open(default_name());  // what is wrong with it shows before anybody asks for it
}

bool Models::is_loaded(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(slots_, [&](const auto& slots) {
        const auto found = slots.find(name);
        return found != slots.end() && found->second.is_loaded;
    });
}

std::size_t Models::loaded() const {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const auto& slots : slots_)
        count += static_cast<std::size_t>(
            std::ranges::count_if(slots, [](const auto& one) { return one.second.is_loaded; }));
    return count;
}

Models::Slot& Models::slot(std::size_t device, std::string_view name) {
    const auto known = std::ranges::find(cards_, name, &ModelCard::name);
    if (known == cards_.end()) {
        std::vector<std::string> names;
        for (const ModelCard& card : cards_) names.push_back(card.name);
        fail(ErrorCode::model_not_found, SettingKey("model"), "no model {}{}", in_quotes(name),
             did_you_mean(name, names));
    }
    Slot& slot = slots_[device][std::string(name)];
    if (!slot.engine) {
        EngineOptions options = base_;
        options.model = name;
        options.device = devices_[device];
        slot.engine = std::make_shared<const Engine>(options);
    }
    return slot;
}

std::shared_ptr<const Engine> Models::open(std::string_view name) {
    const std::lock_guard lock(mutex_);
    // Devices are alike: one that has it loaded will do.
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const auto found = slots_[i].find(name);
        if (found != slots_[i].end() && found->second.engine) return found->second.engine;
    }
    return slot(0, name).engine;
}

std::shared_ptr<const Engine> Models::load(std::size_t device, std::string_view name, std::uint64_t bytes) {
    std::shared_ptr<const Engine> engine;
    {
        const std::lock_guard lock(mutex_);
        Slot& wanted = slot(device, name);
        wanted.used = ++uses_;
        if (wanted.is_loaded) return wanted.engine;
        make_room(device, *wanted.engine, name, bytes);
        engine = wanted.engine;
    }
    engine->load();  // others plan meanwhile
    const std::lock_guard lock(mutex_);
    Slot& wanted = slot(device, name);
    wanted.is_loaded = true;
    wanted.bytes = bytes;
    return engine;
}

/// A slot without an engine is opened again when somebody plans with it.
void Models::make_room(std::size_t device, const Engine& engine, std::string_view name, std::uint64_t bytes) {
    const std::uint64_t budget = base_.max_vram > 0 ? static_cast<std::uint64_t>(base_.max_vram * kGigabyte)
                                                    : usual_budget(engine.device());
    while (true) {
        std::uint64_t taken = bytes;
        auto oldest = slots_[device].end();
        for (auto at = slots_[device].begin(); at != slots_[device].end(); ++at) {
            if (!at->second.is_loaded || at->first == name) continue;
            taken += at->second.bytes;
            if (oldest == slots_[device].end() || at->second.used < oldest->second.used) oldest = at;
        }
        if (taken <= budget || oldest == slots_[device].end()) return;
        log::info("{} makes room for {}", oldest->first, name);
        slots_[device].erase(oldest);
    }
}

void Models::release_others(std::size_t device, std::string_view name) {
    const std::lock_guard lock(mutex_);
    std::erase_if(slots_[device], [&](const auto& one) { return one.first != name; });
}

}  // namespace gass::server
