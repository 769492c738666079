#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "core/wording.h"
#include "diffusion/scheduler_config.h"
#include "engine/given_pictures.h"
#include "engine/plan_parts.h"
#include "engine/request.h"
#include "engine/target.h"

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <utility>

namespace gass {
namespace {

/// The request's settings over the model's own and the built-in ones, checked as any door's are.
Settings settings_of(const Model& model, const Request& request) {
    Settings settings;
    settings.set_object(SettingLayer::model, model.defaults.settings, model.folder.shown("gass.json"),
                        ErrorCode::model_invalid);
    visit_request(request, [&](const char* key, const auto& value) {
        if (value) settings.set(SettingLayer::flag, key, *value);
    });
    return settings;
}

void check_seeds(const std::vector<std::uint64_t>& seeds) {
    if (const auto above = std::ranges::find_if(seeds, [](std::uint64_t seed) { return seed > kMaxSeed; });
        above != seeds.end())
        fail(ErrorCode::usage, SettingKey("seeds"), "expected whole numbers from 0 to {}, got {}", kMaxSeed,
             *above);
}

/// The parts of a plan, one after the other.
class Planner {
  public:
    Planner(const LoadedModel& model, const Request& request)
        : model_(model),
          backbone_(model.backbone()),
          request_(request),
          open_(request_from(settings_of(model.model(), request))) {}

    Plan plan() {
        check_prompt(request_.prompt, SettingKey("prompt"));
        decide_size();
        decide_schedule();
        const Methods methods = decided_methods();
        const std::int64_t images = decided_images(methods);
        schedule_ =
            make_idle(methods, images, has_company(), model_.family())->schedule(std::move(schedule_));
        decide_start(methods, images);
        auto parts = std::make_shared<PlanParts>(PlanParts{
            .request = request_,
            .prompt = request_.prompt,
            .negative_prompt = open_.negative_prompt.value_or(""),
            .images = images,
            .seeds = decided_seeds(methods, images),
            .variation = request_.variation,
            .start_image = start_image_,
            .steps = *open_.steps,
            .cfg_scale = methods.cfg_scale().value_or(*open_.cfg_scale),
            .size = size_,
            .text = text_,
            .sampling_method = std::string(to_string(scheduler_.method)),
            .scheduler = *open_.scheduler,
            .schedule = std::move(schedule_),
            .methods = methods,
            .vary = open_.vary.value_or(""),
            .axes = parse_axes(open_.vary.value_or("")),
            .shield_files = request_.shield_files,
            .max_batch = *open_.max_batch,
            .target = request_.target,
        });
        check_prompt(parts->negative_prompt, SettingKey("negative_prompt"));
        add_side_inputs(*parts);
        add_variation(*parts);
        check_target(*parts);
        return Plan(std::move(parts));
    }

  private:
    /// Even one image has somebody to differ from where there are pictures to keep away from.
    bool has_company() const { return !request_.shield_files.empty() || !open_.shield.value_or("").empty(); }

    void decide_size() {
        const ImageSize usual = backbone_.default_size();
        size_ = {open_.width.value_or(usual.width), open_.height.value_or(usual.height)};
        const std::int64_t multiple = backbone_.size_multiple();
        for (const auto& [key, side] : {std::pair{"width", size_.width}, {"height", size_.height}}) {
            if (side % multiple != 0)
                fail(ErrorCode::usage, SettingKey(key), "this model's sizes are multiples of {}, got {}",
                     multiple, side);
        }
        text_ = {*open_.clip_skip, *open_.max_sequence_length};
        backbone_.check(size_, text_);
    }

    void decide_schedule() {
        open_.steps = open_.steps.value_or(backbone_.default_steps());
        open_.cfg_scale = open_.cfg_scale.value_or(backbone_.default_cfg_scale());
        scheduler_ = SchedulerConfig::from_json(backbone_.scheduler_json(), backbone_.scheduler_path(),
                                                find_sampling_method(*open_.sampling_method),
                                                *open_.scheduler == "karras");
        if ((scheduler_.prediction == Prediction::flow) != backbone_.predicts_flow()) {
            fail(ErrorCode::model_invalid, backbone_.scheduler_path(), "a {} needs a scheduler for {}",
                 model_.model().class_name, backbone_.predicts_flow() ? "flows" : "diffusion");
        }
        schedule_ = make_schedule(scheduler_, *open_.steps, backbone_.image_tokens(size_));
    }

    /// From a picture the schedule begins where the noise is as strong as was asked for.
    void decide_start(const Methods& methods, std::int64_t images) {
        if (!request_.start_image) return;
        start_image_ = checked_start_image(*request_.start_image);
        if (methods.choose(images, has_company())) {
            fail(
                ErrorCode::usage, SettingKey("method"),
                "{} chooses among images that begin as noise, and these begin as a picture; set candidates=1 "
                "to choose none",
                in_quotes(methods.name()));
        }
        schedule_ = from_the_middle(std::move(schedule_), start_image_->strength);
    }

    Methods decided_methods() const {
        Methods methods(*open_.method);
        for (const auto& [key, value] :
             {std::pair{"strength", open_.strength}, {"dep", open_.dep}, {"ind", open_.ind}}) {
            if (value) methods.set_dial(key, *value);
        }
        if (request_.variation || request_.start_image) methods.keep_noise();
        const bool is_guided = methods.cfg_scale().value_or(*open_.cfg_scale) > 1;
        // A damaged dial stands in nobody else's way.
        const Dial dial = methods.need_dial() ? model_.dial(is_guided) : Dial(model_.family(), is_guided);
        return methods.completed(dial, /*can_look=*/!model_.guide_name().empty());
    }

    std::int64_t decided_images(const Methods& methods) const {
        const auto listed = static_cast<std::int64_t>(request_.seeds.size());
        const std::int64_t images = listed > 0 && !request_.images ? listed : *open_.images;
        if (listed == 0 || (request_.seeds_go_on && listed >= images)) return images;
        if (listed < images || (listed > images && !methods.choose(images, has_company())))
            fail(ErrorCode::usage, SettingKey("seeds"), "{} for {}",
                 counted(static_cast<std::uint64_t>(listed), "seed"),
                 counted(static_cast<std::uint64_t>(images), "image"));
        const auto most = static_cast<std::int64_t>(find_setting("images")->maximum);
        if (images > most)
            fail(ErrorCode::usage, SettingKey("seeds"), "at most {} seeds, got {}", most, listed);
        return images;
    }

    std::vector<std::uint64_t> decided_seeds(const Methods& methods, std::int64_t images) const {
        const auto starts = static_cast<std::size_t>(methods.candidates(images, has_company()));
        if (!request_.seeds.empty()) {
            if (request_.seeds.size() > kMaxSeeds)
                fail(ErrorCode::usage, SettingKey("seeds"), "at most {} seeds, got {}", kMaxSeeds,
                     request_.seeds.size());
            check_seeds(request_.seeds);
            return request_.seeds_go_on ? seeds_for(request_.seeds, starts) : request_.seeds;
        }
        if (starts > kMaxSeeds) {
            fail(ErrorCode::usage, SettingKey("method"), "{} images would start from {} seeds; at most {}",
                 images, starts, kMaxSeeds);
        }
        const std::int64_t asked = *open_.seed;
        const std::uint64_t first =
            asked >= 0 ? static_cast<std::uint64_t>(asked) : std::random_device()() % (kMaxSeed - kMaxSeeds);
        return consecutive_seeds(first, starts);
    }

    /// The guide, axes and pictures to stay away from.
    void add_side_inputs(PlanParts& parts) const {
        const Methods& methods = parts.methods;
        if (methods.look())
            parts.guide = &model_.guide("the method " + methods.name());
        else if (request_.measure.value_or(false))
            parts.guide = &model_.guide("measuring spread");
        else if (!request_.measure)
            parts.guide = model_.guide_if_here();
        check_prompt(parts.vary, SettingKey("vary"));
        if (!parts.axes.empty() && !methods.take_axes())
            fail(ErrorCode::usage, SettingKey("vary"), "the method {} has no axes; gass has them",
                 in_quotes(methods.name()));
        const std::string shield = open_.shield.value_or("");
        check_prompt(shield, SettingKey("shield"));  // a record names it, and must be JSON
        if (!methods.keep_away() && (!shield.empty() || !parts.shield_files.empty()))
            fail(ErrorCode::usage, SettingKey("shield"),
                 "the method {} keeps away from no pictures; gass, where it has a guide, and spell do",
                 in_quotes(methods.name()));
        if (shield.empty()) return;
        const std::vector<std::string> more = shield_files(shield);
        parts.shield_files.insert(parts.shield_files.end(), more.begin(), more.end());
        if (parts.shield_files.size() > kMaxShield)
            fail(ErrorCode::usage, SettingKey("shield"), "at most {} pictures, got {}", kMaxShield,
                 parts.shield_files.size());
    }

    void add_variation(PlanParts& parts) const {
        if (!parts.variation) return;
        const auto& [seed, strength] = *parts.variation;
        if (!(strength >= 0.0 && strength <= 1.0))
            fail(ErrorCode::usage, SettingKey("variation_strength"), "expected 0 to 1, got {}", strength);
        if (const std::uint64_t most = kMaxSeed - parts.seeds.size(); seed > most)
            fail(ErrorCode::usage, SettingKey("variation_seed"), "expected 0 to {}, got {}", most, seed);
        // As in A1111: variations of one image, unless the seeds are listed.
        if (strength > 0 && request_.seeds.empty())
            std::fill(parts.seeds.begin(), parts.seeds.end(), parts.seeds.front());
    }

    static void check_target(const PlanParts& parts) {
        if (!parts.target) return;
        if (parts.request.strength)
            fail(ErrorCode::usage, SettingKey("target"),
                 "it finds the strength itself, so `strength` cannot be given as well");
        if (!parts.methods.have_dial())
            fail(ErrorCode::usage, SettingKey("target"), "the method {} has no strength; gass has one",
                 in_quotes(parts.methods.name()));
        if (parts.images < 2) fail(ErrorCode::usage, SettingKey("target"), "one image has no spread");
        check_reachable(*parts.target, parts.images);
    }

    const LoadedModel& model_;
    const Backbone& backbone_;
    const Request& request_;
    Request open_;  // with the settings that the model and the built-in ones fill in
    ImageSize size_;
    TextOptions text_;
    SchedulerConfig scheduler_;
    Schedule schedule_;
    std::optional<StartImage> start_image_;
};

}  // namespace

std::unique_ptr<Method> make_idle(const Methods& methods, std::int64_t images, bool has_company,
                                  Family family) {
    MethodSetup setup;
    setup.images = images;
    setup.has_company = has_company;
    setup.family = family;
    return methods.make(setup);
}

Plan make_plan(const LoadedModel& model, const Request& request) {
    return Planner(model, request).plan();
}

Plan::Plan(std::shared_ptr<const PlanParts> parts) : parts_(std::move(parts)) {
}
const std::string& Plan::prompt() const {
    return parts_->prompt;
}
const std::string& Plan::negative_prompt() const {
    return parts_->negative_prompt;
}
std::int64_t Plan::images() const {
    return parts_->images;
}
const std::vector<std::uint64_t>& Plan::seeds() const {
    return parts_->seeds;
}
std::int64_t Plan::steps() const {
    return parts_->steps;
}
double Plan::cfg_scale() const {
    return parts_->cfg_scale;
}
std::int64_t Plan::width() const {
    return parts_->size.width;
}
std::int64_t Plan::height() const {
    return parts_->size.height;
}
std::string Plan::method() const {
    return parts_->methods.text();
}
std::string Plan::method_name() const {
    return parts_->methods.name();
}
bool Plan::looks() const {
    return parts_->methods.look();
}
const std::string& Plan::sampling_method() const {
    return parts_->sampling_method;
}

}  // namespace gass
