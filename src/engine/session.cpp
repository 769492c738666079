#include "engine/session.h"

#include "core/fail.h"
#include "core/log.h"
#include "core/stopwatch.h"
#include "diffusion/sampler.h"
#include "engine/cost.h"
#include "engine/given_pictures.h"
#include "engine/memory.h"
#include "engine/pipeline_vision.h"
#include "engine/pixels.h"
#include "engine/record.h"
#include "engine/spread_report.h"
#include "engine/start_noise.h"
#include "engine/turns.h"
#include "nn/device.h"
#include "nn/libtorch_error.h"
#include "nn/process.h"
#include "sphere/decomposition.h"
#include "text/prompt_template.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/util/Exception.h>

#include <map>
#include <set>

namespace gass {
namespace {

/// One attempt to make a group: the parts of the work, and what they hand on.
class Session {
  public:
    Session(const LoadedModel& model, const PlanParts& plan, const Events& events, std::int64_t chunk)
        : turn_(turns_of(model.device())),
          model_(model),
          backbone_(model.backbone()),
          plan_(plan),
          events_(events) {
        group_.chunk = chunk;
        at::set_num_threads(static_cast<int>(model.threads()));  // LibTorch counts them for each thread
        reset_peak_memory(model.device());
    }
    /// Networks that take turns leave the device, also after a failure: the next one starts from nothing.
    ~Session() {
        if (model_.offloads()) model_.release();
        end_helpers();
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    Group run() {
        const at::NoGradGuard no_grad;
        timed(group_.timings.text, [&] { read_inputs(); });
        at::Tensor latents;
        timed(group_.timings.denoise, [&] { latents = denoise(); });
        timed(group_.timings.decode, [&] { decode(latents); });
        group_.peak_device_bytes = peak_memory(model_.device());
        return std::move(group_);
    }

  private:
    template <class Work>
    void timed(double& seconds, const Work& work) const {
        const Stopwatch watch;
        work();
        synchronize(model_.device());
        seconds = watch.seconds();
    }

    /// Calls what the caller gave, while others have the device. Networks that take turns cannot be shared
    /// out step by step: then one group is made after the other.
    template <class Work>
    auto aside(const Work& work) {
        if (model_.offloads()) return work();
        if (turns_of(model_.device()).waiting() > 0) end_helpers();
        return turn_.pause(work);
    }
    /// Who has the next turn computes with as many threads.
    void end_helpers() const {
        if (model_.device().is_cpu()) nn::end_helpers();
    }
    void say(std::string_view phase, std::size_t done, std::size_t total) const {
        if (events_.progress) events_.progress(phase, done, total);
    }
    bool is_stopping() const { return events_.should_stop && events_.should_stop(); }

    void read_inputs();
    void encode_texts();
    NamedAxis named_axis(const AxisTexts& ends) const;
    MethodSetup method_setup();
    at::Tensor denoise();
    void check_finite(const at::Tensor& output, std::string_view network) const;
    std::vector<Image> preview(const at::Tensor& clean) const;
    void decode(const at::Tensor& latents);

    Turn turn_;  // first: what follows uses the device until it is gone
    const LoadedModel& model_;
    const Backbone& backbone_;
    const PlanParts& plan_;
    const Events& events_;
    std::vector<std::string> texts_;  // of each start
    std::vector<NamedAxis> axes_;
    std::optional<PipelineVision> vision_;
    at::Tensor prompt_;  // e_t, if there is a guide
    at::Tensor shield_;  // latents to stay away from, if any
    SamplerInput input_;
    Group group_;
};

/// Texts, axes and shield as the networks have them.
void Session::read_inputs() {
    encode_texts();
    for (const AxisTexts& ends : plan_.axes) axes_.push_back(named_axis(ends));
    if (model_.offloads()) backbone_.release_text_encoders();
    const auto latents_of = [this](const std::vector<std::string>& files) {
        return picture_latents(files, backbone_, plan_.size,
                               [this] { return aside([this] { return is_stopping(); }); });
    };
    if (!plan_.shield_files.empty()) shield_ = latents_of(plan_.shield_files);
    if (plan_.start_image) input_.clean = latents_of({plan_.start_image->file}).to(model_.device());
    if (model_.offloads()) backbone_.decoder().release();
}

void Session::encode_texts() {
    const PromptTemplate prompt(plan_.prompt);
    std::map<std::string, Condition> encoded;  // images often share their text
    std::vector<Condition> conditions;
    for (std::size_t i = 0; i < plan_.seeds.size(); ++i) {
        // Candidates share the images' texts in turn, so that each choice has as many.
        const std::size_t image = i % static_cast<std::size_t>(plan_.images);
        texts_.push_back(prompt.expand(image, plan_.seeds.front()));
        const std::string& text = texts_.back();
        auto known = encoded.find(text);
        if (known == encoded.end()) {
            if (aside([this] { return is_stopping(); }))
                fail(ErrorCode::interrupted, "sampling", "stopped while the text was read");
            for (const std::string& cut : backbone_.truncations(text, plan_.text))
                log::warn("[`prompt`] {}", cut);
            known = encoded.emplace(text, backbone_.encode(text, plan_.text)).first;
        }
        conditions.push_back(known->second);
    }
    input_.condition = encoded.size() == 1 ? conditions.front().repeated(plan_.starts())
                                           : Condition::concatenated(conditions);
    if (plan_.is_guided()) {
        const TextOptions all_layers{0, plan_.text.max_sequence_length};
        input_.unconditional = backbone_.encode(plan_.negative_prompt, all_layers).repeated(plan_.starts());
    }
}

/// What the texts of a named axis mean to the denoiser and to the guide, after the prompt.
NamedAxis Session::named_axis(const AxisTexts& ends) const {
    const auto with = [&](const std::string& end) { return texts_.front() + " " + end; };
    const Condition from = backbone_.encode(with(ends.from), plan_.text);
    const Condition to = backbone_.encode(with(ends.to), plan_.text);
    NamedAxis axis{.from = ends.from, .to = ends.to, .direction = {}, .half_difference = {}};
    axis.half_difference.sequence = (to.sequence - from.sequence) / 2;
    if (to.pooled.defined()) axis.half_difference.pooled = (to.pooled - from.pooled) / 2;
    return axis;
}

MethodSetup Session::method_setup() {
    MethodSetup setup{.images = plan_.images,
                      .has_company = shield_.defined(),
                      .chunk = group_.chunk,
                      .family = model_.family(),
                      .vision = nullptr,
                      .prompt = {},
                      .texts = texts_,
                      .axes = axes_,
                      .shield = shield_};
    if (plan_.methods.weaken()) setup.empty = backbone_.encode("", plan_.text);
    if (plan_.guide == nullptr) return setup;
    setup.vision = &vision_.emplace(backbone_.decoder(), *plan_.guide);
    // Choices in the prompt give images texts of their own; the group's direction is the mean of these.
    std::vector<at::Tensor> directions;
    for (const std::string& text : std::set(texts_.begin(), texts_.end()))
        directions.push_back(vision_->embed_text(text));
    const at::Tensor mean = at::stack(directions).mean(0);
    setup.prompt = mean / mean.norm().clamp_min(1e-12);
    for (NamedAxis& axis : setup.axes) {
        axis.direction = sphere::named_axis(vision_->embed_text(texts_.front() + " " + axis.from),
                                            vision_->embed_text(texts_.front() + " " + axis.to), setup.prompt)
                             .value_or(at::Tensor());
    }
    prompt_ = setup.prompt;
    return setup;
}

at::Tensor Session::denoise() {
    const std::unique_ptr<Method> method = plan_.methods.make(method_setup());
    input_.seeds = plan_.seeds;
    input_.noise =
        start_noise(plan_.seeds, plan_.variation, backbone_.latent_shape(plan_.size)).to(model_.device());
    aside([&] { say("denoise", 0, plan_.schedule.steps.size()); });
    const auto after_step = [&](const GroupStep& at, const at::Tensor& clean) {
        const bool last = at.index + 1 == at.count;
        const auto interval = static_cast<std::size_t>(events_.preview_interval);
        // Candidates are no preview of the set.
        const bool are_chosen = clean.size(0) == plan_.images;
        const bool shows = events_.preview && are_chosen && !last && (at.index + 1) % interval == 0;
        const std::vector<Image> shown = shows ? preview(clean) : std::vector<Image>();
        return aside([&] {
            say("denoise", at.index + 1, at.count);
            if (shows) events_.preview(shown, at.index + 1);
            return !is_stopping();
        });
    };
    SamplerOutput sampled =
        sample(backbone_, plan_.schedule, *method, std::move(input_),
               {.cfg_scale = plan_.cfg_scale,
                .chunk = group_.chunk,
                .after_step = after_step,
                .should_stop = [this] { return aside([this] { return is_stopping(); }); }});
    const std::vector<at::Tensor> axis_places = method->places();
    for (std::size_t i = 0; i < sampled.seeds.size(); ++i) {
        GroupImage image;
        image.seed = sampled.seeds[i];
        image.place = sampled.kept[i];
        image.prompt = texts_[image.place];
        for (const at::Tensor& places : axis_places)
            image.axis_places.push_back(places[static_cast<std::int64_t>(i)].item<double>());
        group_.images.push_back(std::move(image));
    }
    group_.timings.method = sampled.method_seconds;
    group_.method_steps = method->report();
    check_finite(sampled.latents, "denoiser");
    if (model_.offloads()) backbone_.release_denoiser();
    return sampled.latents;
}

void Session::check_finite(const at::Tensor& output, std::string_view network) const {
    if (output.isfinite().all().item<bool>()) return;
    fail(ErrorCode::failure, network, "its output is not finite in {}; `dtype` fp32 or bf16 may help",
         dtype_name(model_.placement().dtype));
}

/// Half the size is enough to see what becomes of the images; one at a time, not to disturb what fits.
std::vector<Image> Session::preview(const at::Tensor& clean) const {
    const bool can_shrink = std::min(clean.size(2), clean.size(3)) >= 2;
    std::vector<Image> images;
    for (const at::Tensor& one : (can_shrink ? at::avg_pool2d(clean, 2) : clean).split(1))
        images.push_back(std::move(to_images(backbone_.decoder().decode(one)).front()));
    return images;
}

/// What is decoded when a stop is asked for is kept.
void Session::decode(const at::Tensor& latents) {
    const std::size_t total = group_.images.size();
    std::size_t done = 0;
    std::vector<at::Tensor> embeddings;
    for (const at::Tensor& part : latents.split(group_.chunk)) {
        const bool stops = aside([&] {
            say("decode", done, total);
            return is_stopping();
        });
        if (stops && done > 0) {
            group_.images.resize(done);
            group_.complete = false;
            return;
        }
        const at::Tensor pixels = backbone_.decoder().decode(part);
        check_finite(pixels, "autoencoder");
        for (Image& image : to_images(pixels)) static_cast<Image&>(group_.images[done++]) = std::move(image);
        if (vision_) embeddings.push_back(vision_->embed(pixels.clamp(-1, 1)));
    }
    if (vision_) group_.spread = spread_report(at::cat(embeddings), prompt_, plan_.seeds.front());
    aside([&] { say("decode", done, total); });
}

}  // namespace

const Spread& measured_spread(const Group& group, std::string_view where) {
    if (!group.complete) fail(ErrorCode::interrupted, where, "stopped");
    const auto& spread = group.spread;
    if (!spread || !spread->vendi || !spread->pairwise || !spread->spp || !spread->clip_score)
        fail(ErrorCode::failure, where, "the guide's view of the images is not finite");
    return *spread;
}

Group make_group(const LoadedModel& model, const PlanParts& plan, const Events& events) {
    for (std::int64_t chunk = chunk_for(model, plan);; chunk = (chunk + 1) / 2) {
        try {
            Group group = Session(model, plan, events, chunk).run();
            group.record = record_of(model, plan, chunk);
            return group;
        } catch (const c10::Error& error) {
            if (chunk == 1 || !nn::is_out_of_memory(error)) fail_in_libtorch(model.device(), error);
        }
        give_back_memory(model.device());
        log::warn("memory ran out with {} images at a time; trying {}", chunk, (chunk + 1) / 2);
    }
}

}  // namespace gass
