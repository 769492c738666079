#include "engine/engine.h"

#include "catalog/fingerprint.h"
#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "core/stopwatch.h"
#include "diffusion/sampler.h"
#include "engine/device.h"
#include "engine/memory.h"
#include "engine/named_axes.h"
#include "engine/pipeline_vision.h"
#include "engine/pixels.h"
#include "engine/shield.h"
#include "engine/spread_report.h"
#include "engine/start_noise.h"
#include "guidance/registry.h"
#include "nn/libtorch_error.h"
#include "nn/process.h"
#include "pipelines/backbone.h"
#include "sphere/decomposition.h"
#include "text/prompt_template.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/util/Exception.h>

#include <future>
#include <map>
#include <set>

namespace gass {
namespace {

std::optional<SamplingMethod> sampling_method(const std::string& name) {
    if (name == "default") return std::nullopt;
    for (const SamplingMethod method :
         {SamplingMethod::ddim, SamplingMethod::euler, SamplingMethod::dpmpp_2m, SamplingMethod::plms}) {
        if (to_string(method) == name) return method;
    }
    fail(ErrorCode::usage, "--sampling-method", "expected ddim, euler, dpm++2m or plms, got {}",
         in_quotes(name));
}

SchedulerConfig scheduler_for(const Backbone& backbone, const Request& request) {
    return SchedulerConfig::from_json(backbone.scheduler_json(), backbone.scheduler_path(),
                                      sampling_method(request.sampling_method),
                                      request.scheduler == "karras");
}

Family family_of(const Backbone& backbone) {
    return backbone.predicts_flow() ? Family::flow : Family::diffusion;
}

ImageSize size_of(const Request& request) {
    return {request.width.value(), request.height.value()};
}

Schedule schedule_for(const Backbone& backbone, const Request& request) {
    return make_schedule(scheduler_for(backbone, request), request.steps.value(),
                         backbone.image_tokens(size_of(request)));
}

bool is_guided(const Request& request) {
    return request.cfg_scale.value() > 1.0;
}

/// Whether the images are seen through a guide.
bool looks(const Request& request) {
    return request.measure || needs_vision(request.method);
}

TextOptions text_options_of(const Request& request) {
    return {request.clip_skip, request.max_sequence_length};
}

[[noreturn]] void fail_out_of_memory(at::Device device, const c10::Error& error) {
    fail(ErrorCode::out_of_memory, device.str(),
         "memory ran out with one image at a time; a smaller size, --vae-tiling or --offload-to-cpu take "
         "less ({})",
         nn::first_line(error));
}

[[noreturn]] void fail_in_libtorch(at::Device device, const c10::Error& error) {
    fail(device.is_cpu() ? ErrorCode::failure : ErrorCode::device, device.str(), "{}", nn::first_line(error));
}

}  // namespace

const Json& measured_spread(const Group& group, std::string_view where) {
    if (!group.complete) fail(ErrorCode::interrupted, where, "stopped");
    if (group.spread.is_null())
        fail(ErrorCode::failure, where, "the guide's view of the images is not finite");
    return group.spread;
}

struct Engine::State {
    nn::Placement placement;
    bool offload = false;
    std::unique_ptr<Backbone> backbone;
    std::unique_ptr<ImageEncoder> guide;  // once a request's method needs it
    std::shared_future<std::string> fingerprint;

    /// Memory for activations; `coming` bytes of weights are still to be loaded.
    double budget(double max_vram, double coming = 0) const {
        double free = free_memory(placement.device);
        if (max_vram > 0 && !placement.device.is_cpu())
            free = std::min(free, max_vram * 1e9 - used_memory(placement.device));
        return std::max(free - coming, 0.0);
    }
};

/// One attempt to generate a group: the parts of the work, and what they hand on.
class Engine::Attempt {
  public:
    Attempt(const State& state, const Request& request, const Events& events, std::int64_t chunk)
        : state_(state), backbone_(*state.backbone), request_(request), events_(events) {
        group_.chunk = chunk;
        reset_peak_memory(backbone_.device());
    }
    /// Networks that take turns leave the device, also after a failure: the next attempt starts from nothing.
    ~Attempt() {
        if (!state_.offload) return;
        backbone_.release_text_encoders();
        backbone_.release_denoiser();
        backbone_.decoder().release();
        if (state_.guide != nullptr) state_.guide->release();
    }
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    Group run() {
        const at::NoGradGuard no_grad;
        timed(group_.timings.text, [&] { read_inputs(); });
        at::Tensor latents;
        timed(group_.timings.denoise, [&] { latents = denoise(); });
        timed(group_.timings.decode, [&] { decode(latents); });
        group_.peak_device_bytes = peak_memory(backbone_.device());
        return std::move(group_);
    }

  private:
    template <class Work>
    void timed(double& seconds, const Work& work) const {
        const Stopwatch watch;
        work();
        synchronize(backbone_.device());
        seconds = watch.seconds();
    }
    void say(std::string_view phase, std::size_t done, std::size_t total) const {
        if (events_.progress) events_.progress(phase, done, total);
    }
    bool is_stopping() const { return events_.should_stop && events_.should_stop(); }

    void read_inputs();
    NamedAxis named_axis(const AxisTexts& ends) const;
    MethodSetup method_setup();
    at::Tensor denoise();
    void check_finite(const at::Tensor& output, std::string_view network) const;
    void preview(const at::Tensor& clean, std::size_t step) const;
    void decode(const at::Tensor& latents);

    const State& state_;
    const Backbone& backbone_;
    const Request& request_;
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
void Engine::Attempt::read_inputs() {
    const PromptTemplate prompt(request_.prompt);
    std::map<std::string, Condition> encoded;  // images often share their text
    std::vector<Condition> conditions;
    for (std::size_t i = 0; i < request_.seeds.size(); ++i) {
        if (is_stopping()) fail(ErrorCode::interrupted, "sampling", "stopped while the text was read");
        // Candidates share the images' texts in turn, so that each choice has as many.
        const std::size_t image = i % static_cast<std::size_t>(request_.images);
        texts_.push_back(prompt.expand(image, request_.seeds.front()));
        const std::string& text = texts_.back();
        auto known = encoded.find(text);
        if (known == encoded.end()) {
            for (const std::string& cut : backbone_.truncations(text, text_options_of(request_)))
                log::warn("[--prompt] {}", cut);
            known = encoded.emplace(text, backbone_.encode(text, text_options_of(request_))).first;
        }
        conditions.push_back(known->second);
    }
    const auto starts = static_cast<std::int64_t>(request_.seeds.size());
    input_.condition =
        encoded.size() == 1 ? conditions.front().repeated(starts) : Condition::concatenated(conditions);
    if (is_guided(request_)) {
        const TextOptions all_layers{0, request_.max_sequence_length};
        input_.unconditional = backbone_.encode(request_.negative_prompt, all_layers).repeated(starts);
    }
    for (const AxisTexts& ends : parse_axes(request_.vary)) axes_.push_back(named_axis(ends));
    if (state_.offload) backbone_.release_text_encoders();
    if (!request_.shield_files.empty()) {
        shield_ = shield_latents(request_.shield_files, backbone_, size_of(request_), events_.should_stop);
        if (state_.offload) backbone_.decoder().release();
    }
}

/// What the texts of a named axis mean to the denoiser and to the guide, after the prompt.
NamedAxis Engine::Attempt::named_axis(const AxisTexts& ends) const {
    const auto with = [&](const std::string& end) { return texts_.front() + " " + end; };
    const Condition from = backbone_.encode(with(ends.from), text_options_of(request_));
    const Condition to = backbone_.encode(with(ends.to), text_options_of(request_));
    NamedAxis axis{.from = ends.from, .to = ends.to, .direction = {}, .half_difference = {}};
    axis.half_difference.sequence = (to.sequence - from.sequence) / 2;
    if (to.pooled.defined()) axis.half_difference.pooled = (to.pooled - from.pooled) / 2;
    return axis;
}

MethodSetup Engine::Attempt::method_setup() {
    MethodSetup setup{.images = request_.images,
                      .chunk = group_.chunk,
                      .family = family_of(backbone_),
                      .vision = nullptr,
                      .prompt = {},
                      .texts = texts_,
                      .axes = axes_,
                      .shield = shield_};
    if (state_.guide == nullptr || !looks(request_)) return setup;
    setup.vision = &vision_.emplace(backbone_.decoder(), *state_.guide);
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

at::Tensor Engine::Attempt::denoise() {
    const Schedule schedule = schedule_for(backbone_, request_);
    const std::unique_ptr<Method> method = make_method(request_.method, method_setup());
    input_.seeds = request_.seeds;
    input_.noise = start_noise(request_.seeds, request_.variation, backbone_.latent_shape(size_of(request_)))
                       .to(backbone_.device());
    say("denoise", 0, schedule.steps.size());
    const auto after_step = [&](const GroupStep& at, const at::Tensor& clean) {
        say("denoise", at.index + 1, at.count);
        const bool last = at.index + 1 == at.count;
        const auto interval = static_cast<std::size_t>(events_.preview_interval);
        if (events_.preview && !last && (at.index + 1) % interval == 0) preview(clean, at.index + 1);
        return !is_stopping();
    };
    SamplerOutput sampled = sample(backbone_, schedule, *method, std::move(input_),
                                   {.cfg_scale = *request_.cfg_scale,
                                    .chunk = group_.chunk,
                                    .after_step = after_step,
                                    .should_stop = [this] { return is_stopping(); }});
    group_.seeds = std::move(sampled.seeds);
    group_.places = std::move(sampled.kept);
    for (const std::size_t place : group_.places) group_.prompts.push_back(texts_[place]);
    group_.timings.method = sampled.method_seconds;
    group_.method_steps = method->report();
    check_finite(sampled.latents, "denoiser");
    if (state_.offload) backbone_.release_denoiser();
    return sampled.latents;
}

void Engine::Attempt::check_finite(const at::Tensor& output, std::string_view network) const {
    if (output.isfinite().all().item<bool>()) return;
    fail(ErrorCode::failure, network, "its output is not finite in {}; --dtype fp32 or bf16 may help",
         dtype_name(state_.placement.dtype));
}

/// Half the size is enough to see what becomes of the images; one at a time, not to disturb what fits.
void Engine::Attempt::preview(const at::Tensor& clean, std::size_t step) const {
    const bool can_shrink = std::min(clean.size(2), clean.size(3)) >= 2;
    std::vector<Image> images;
    for (const at::Tensor& one : (can_shrink ? at::avg_pool2d(clean, 2) : clean).split(1))
        images.push_back(std::move(to_images(backbone_.decoder().decode(one)).front()));
    events_.preview(images, step);
}

/// What is decoded when a stop is asked for is kept.
void Engine::Attempt::decode(const at::Tensor& latents) {
    std::vector<at::Tensor> embeddings;
    for (const at::Tensor& part : latents.split(group_.chunk)) {
        say("decode", group_.images.size(), group_.seeds.size());
        if (is_stopping() && !group_.images.empty()) {
            group_.complete = false;
            return;
        }
        const at::Tensor pixels = backbone_.decoder().decode(part);
        check_finite(pixels, "autoencoder");
        for (Image& image : to_images(pixels)) group_.images.push_back(std::move(image));
        if (vision_) embeddings.push_back(vision_->embed(pixels.clamp(-1, 1)));
    }
    if (vision_) group_.spread = spread_report(at::cat(embeddings), prompt_, request_.seeds.front());
    say("decode", group_.images.size(), group_.seeds.size());
}

Engine::Engine(const EngineOptions& options)
    : options_(options),
      model_(open_model(find_model(options.model), options.variant)),
      guide_(options.guide.empty() ? model_.defaults.guide : options.guide),
      state_(std::make_unique<State>()) {
    nn::keep_freed_memory();
    nn::use_threads(options.threads);
    State& state = *state_;
    state.placement.device = find_device(options.device);
    state.placement.dtype = find_dtype(options.dtype, state.placement.device);
    prepare_device(state.placement);
    state.backbone = open_backbone(model_, {.placement = state.placement,
                                            .vae_tiling = options.vae_tiling,
                                            .vae_slicing = options.vae_slicing,
                                            .no_t5 = options.no_t5});
    const double weights = state.backbone->weight_bytes();
    const bool on_gpu = !state.placement.device.is_cpu();
    state.offload = options.offload_to_cpu || (on_gpu && weights > 0.8 * state.budget(options.max_vram));
    if (state.offload && !options.offload_to_cpu)
        log::info("the model's {:.1f} GB do not fit beside a picture: networks take turns", weights / 1e9);
}

Engine::~Engine() = default;

void Engine::load() {
    const Stopwatch watch;
    try {
        if (!state_->offload) {
            state_->backbone->load();
            if (state_->guide != nullptr) state_->guide->load();
        }
        synchronize(state_->placement.device);
    } catch (const c10::Error& error) {
        if (nn::is_out_of_memory(error)) fail_out_of_memory(state_->placement.device, error);
        fail_in_libtorch(state_->placement.device, error);
    }
    begin_fingerprint();
    load_seconds_ = watch.seconds();
}

bool Engine::offloads() const {
    return state_->offload;
}

std::string Engine::dtype() const {
    return dtype_name(state_->placement.dtype);
}

std::string Engine::device() const {
    return state_->placement.device.is_cpu() ? "cpu" : "cuda";
}

std::int64_t Engine::threads() const {
    return at::get_num_threads();
}

void Engine::begin_fingerprint() const {
    if (state_->fingerprint.valid()) return;
    state_->fingerprint =
        std::async(std::launch::async, [this] { return gass::fingerprint(model_); }).share();
}

std::string Engine::fingerprint() const {
    begin_fingerprint();
    return state_->fingerprint.get();
}

void Engine::complete(Request& request) const {
    const Backbone& backbone = *state_->backbone;
    const ImageSize size = backbone.default_size();
    request.steps = request.steps.value_or(backbone.default_steps());
    request.cfg_scale = request.cfg_scale.value_or(backbone.default_cfg_scale());
    request.width = request.width.value_or(size.width);
    request.height = request.height.value_or(size.height);
    const std::int64_t multiple = backbone.size_multiple();
    for (const auto& [flag, side] : {std::pair{"--width", *request.width}, {"--height", *request.height}}) {
        if (side % multiple != 0)
            fail(ErrorCode::usage, flag, "this model's sizes are multiples of {}, got {}", multiple, side);
    }
    backbone.check(size_of(request), text_options_of(request));
    const SchedulerConfig scheduler = scheduler_for(backbone, request);
    if ((scheduler.prediction == Prediction::flow) != backbone.predicts_flow()) {
        fail(ErrorCode::model_invalid, backbone.scheduler_path(), "a {} needs a scheduler for {}",
             model_.class_name, backbone.predicts_flow() ? "flows" : "diffusion");
    }
    request.sampling_method = to_string(scheduler.method);
    schedule_for(backbone, request);  // throws what is wrong with it
    request.method = complete_method(request.method);
    request.cfg_scale = own_cfg_scale(request.method).value_or(*request.cfg_scale);
    if (looks(request))
        open_guide(needs_vision(request.method) ? "the method " + method_name(request.method)
                                                : "measuring spread");
    if (!parse_axes(request.vary).empty() && !has_method(request.method, "gass"))
        fail(ErrorCode::usage, "--vary", "the method {} has no axes; gass has",
             in_quotes(method_name(request.method)));
    if (!request.shield.empty()) {
        if (!has_method(request.method, "spell"))
            fail(ErrorCode::usage, "--shield", "the method {} has no shield; spell has",
                 in_quotes(method_name(request.method)));
        request.shield_files = shield_files(request.shield);
    }
    const std::int64_t starts = candidates_for(request.method, request.images);
    const auto seeds = static_cast<std::int64_t>(request.seeds.size());
    if (seeds < request.images || (seeds > request.images && starts == request.images))
        fail(ErrorCode::usage, "--seeds", "{} seeds for {} images", seeds, request.images);
}

Family Engine::family() const {
    return family_of(*state_->backbone);
}

std::string Engine::complete_method(std::string_view method) const {
    const Json& dial = model_.defaults.dial;
    const bool needed = Dial::turns(parse_methods(method));  // a damaged one stands in nobody else's way
    return gass::complete_method(
        method,
        dial.is_null() || !needed ? Dial(family()) : Dial::from_json(family(), dial, "\"dial\" in gass.json"),
        /*can_look=*/!guide_.empty());
}

void Engine::open_guide(std::string_view for_what) const {
    if (state_->guide != nullptr) return;
    if (guide_.empty()) {
        fail(ErrorCode::usage, "--guide",
             "{} needs a CLIP model that sees the images, and {} names none in its gass.json: give one, "
             "--guide openai/clip-vit-base-patch32 for instance",
             for_what, in_quotes(options_.model));
    }
    // fp32 whatever the denoiser computes in: shifts on the sphere are smaller than bf16 can tell.
    state_->guide = std::make_unique<ImageEncoder>(open_model(find_model(guide_)),
                                                   nn::Placement{at::kFloat, state_->placement.device});
}

/// As many images as fit through the denoiser and the decoder; recorded, since it decides the bytes.
std::int64_t Engine::chunk_for(const Request& request) const {
    const Backbone& backbone = *state_->backbone;
    const auto images = static_cast<std::int64_t>(request.seeds.size());
    const auto most = static_cast<std::int64_t>(find_setting("max_batch")->maximum);
    const ImageSize size = size_of(request);
    const double pixels = static_cast<double>(size.width * size.height);
    // On the host: latents, their estimates and noise; the finished pictures, plain and as PNG.
    const double latents = static_cast<double>(c10::multiply_integers(backbone.latent_shape(size)));
    const double host = static_cast<double>(images) * 5 * sizeof(float) * latents +
                        static_cast<double>(request.images) * 2 * 3 * pixels;
    if (const double free = free_memory(at::kCPU); host > free) {
        fail(ErrorCode::out_of_memory, "memory",
             "the set needs about {:.1f} GB, {:.1f} GB are free; ask for less", host / 1e9, free / 1e9);
    }
    const double coming = state_->offload ? backbone.denoiser_weight_bytes() : 0;
    const double budget = state_->budget(options_.max_vram, coming);
    const double row = backbone.denoiser_bytes(size) * (is_guided(request) ? 2 : 1);
    std::int64_t fitting =
        images_that_fit(images, row, budget, "choose a smaller size, or leave more memory");
    if (!options_.vae_tiling && !options_.vae_slicing) {
        fitting = std::min(fitting, images_that_fit(images, backbone.decoder().bytes_per_pixel() * pixels,
                                                    budget, "try --vae-tiling"));
    }
    return std::min(request.max_batch > 0 ? std::min(request.max_batch, images) : fitting, most);
}

Group Engine::generate(const Request& request, const Events& events) const {
    for (std::int64_t chunk = chunk_for(request);; chunk = (chunk + 1) / 2) {
        try {
            return Attempt(*state_, request, events, chunk).run();
        } catch (const c10::Error& error) {
            if (!nn::is_out_of_memory(error)) fail_in_libtorch(state_->placement.device, error);
            if (chunk == 1) fail_out_of_memory(state_->placement.device, error);
        }
        give_back_memory(state_->placement.device);
        log::warn("memory ran out with {} images at a time; trying {}", chunk, (chunk + 1) / 2);
    }
}

}  // namespace gass
