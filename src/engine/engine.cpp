#include "engine/engine.h"

#include "catalog/fingerprint.h"
#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "diffusion/sampler.h"
#include "engine/device.h"
#include "engine/memory.h"
#include "engine/pixels.h"
#include "engine/start_noise.h"
#include "guidance/registry.h"
#include "nn/allocation.h"
#include "pipelines/backbone.h"
#include "text/prompt_template.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/util/Exception.h>

#include <chrono>
#include <future>
#include <map>

namespace gass {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

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

Schedule schedule_for(const Backbone& backbone, const Request& request) {
    const ImageSize size{request.width.value(), request.height.value()};
    return make_schedule(scheduler_for(backbone, request), request.steps.value(),
                         backbone.image_tokens(size));
}

bool is_guided(const Request& request) {
    return request.cfg_scale.value() > 1.0;
}

}  // namespace

struct Engine::State {
    nn::Placement placement;
    bool offload = false;
    std::unique_ptr<Backbone> backbone;
    std::shared_future<std::string> fingerprint;

    void say(const Events& events, std::string_view phase, std::size_t done, std::size_t total) const {
        if (events.progress) events.progress(phase, done, total);
    }
    /// Memory for activations; `coming` bytes of weights are still to be loaded.
    double budget(double max_vram, double coming = 0) const {
        double free = free_memory(placement.device);
        if (max_vram > 0 && !placement.device.is_cpu())
            free = std::min(free, max_vram * 1e9 - used_memory(placement.device));
        return std::max(free - coming, 0.0);
    }
};

Engine::Engine(const EngineOptions& options)
    : options_(options),
      model_(open_model(find_model(options.model), options.variant)),
      state_(std::make_unique<State>()) {
    const Clock::time_point start = Clock::now();
    nn::keep_freed_memory();
    if (options.threads > 0) at::set_num_threads(static_cast<int>(options.threads));
    State& state = *state_;
    state.placement.device = find_device(options.device);
    state.placement.dtype = find_dtype(options.dtype, state.placement.device);
    prepare_device(state.placement);

    const double weights = static_cast<double>(
        model_.parameter_count() * static_cast<std::uint64_t>(at::elementSize(state.placement.dtype)));
    const bool on_gpu = !state.placement.device.is_cpu();
    state.offload = options.offload_to_cpu || (on_gpu && weights > 0.8 * state.budget(options.max_vram));
    if (state.offload && !options.offload_to_cpu)
        log::info("the model's {:.1f} GB do not fit beside a picture: networks take turns", weights / 1e9);

    state.backbone = open_backbone(model_, {.placement = state.placement,
                                            .vae_tiling = options.vae_tiling,
                                            .vae_slicing = options.vae_slicing,
                                            .no_t5 = options.no_t5});
    if (!state.offload) state.backbone->load();
    state.fingerprint = std::async(std::launch::async, [this] { return gass::fingerprint(model_); }).share();
    synchronize(state.placement.device);
    load_seconds_ = seconds_since(start);
}

Engine::~Engine() = default;

std::string Engine::dtype() const {
    return dtype_name(state_->placement.dtype);
}

std::string Engine::device() const {
    return state_->placement.device.is_cpu() ? "cpu" : "cuda";
}

std::int64_t Engine::threads() const {
    return at::get_num_threads();
}

std::string Engine::fingerprint() const {
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
    backbone.check_size({*request.width, *request.height});
    const SchedulerConfig scheduler = scheduler_for(backbone, request);
    if ((scheduler.prediction == Prediction::flow) != backbone.predicts_flow()) {
        fail(ErrorCode::model_invalid, backbone.scheduler_path(), "a {} needs a scheduler for {}",
             model_.class_name, backbone.predicts_flow() ? "flows" : "diffusion");
    }
    request.sampling_method = to_string(scheduler.method);
    schedule_for(backbone, request);  // throws what is wrong with it
    make_method(request.method);
}

std::int64_t Engine::chunk_for(const Request& request) const {
    const auto images = static_cast<std::int64_t>(request.seeds.size());
    const ImageSize size{request.width.value(), request.height.value()};
    const double each = state_->backbone->denoiser_bytes(size) * (is_guided(request) ? 2 : 1);
    const double coming = state_->offload ? state_->backbone->denoiser_weight_bytes() : 0;
    const std::int64_t fitting = images_that_fit(images, each, state_->budget(options_.max_vram, coming),
                                                 "choose a smaller size, or leave more memory");
    return request.max_batch > 0 ? std::min(request.max_batch, images) : fitting;
}

Group Engine::generate(const Request& request, const Events& events) const {
    for (std::int64_t chunk = chunk_for(request);; chunk = (chunk + 1) / 2) {
        std::string reason;
        try {
            return attempt(request, events, chunk);
        } catch (const c10::OutOfMemoryError& error) {
            reason = error.what_without_backtrace();
        }
        give_back_memory(state_->placement.device);
        if (chunk == 1) {
            fail(ErrorCode::out_of_memory, device(),
                 "memory ran out with one image at a time; a smaller size, --vae-tiling or --offload-to-cpu "
                 "take less ({})",
                 reason.substr(0, reason.find('\n')));
        }
        log::warn("memory ran out with {} images at a time; trying {}", chunk, (chunk + 1) / 2);
    }
}

Group Engine::attempt(const Request& request, const Events& events, std::int64_t chunk) const {
    const at::NoGradGuard no_grad;
    const State& state = *state_;
    const Backbone& backbone = *state.backbone;
    const ImageSize size{request.width.value(), request.height.value()};
    const auto stopping = [&] { return events.should_stop && events.should_stop(); };
    const std::unique_ptr<Method> method = make_method(request.method);

    reset_peak_memory(backbone.device());
    Group group{.images = {}, .seeds = request.seeds, .prompts = {}, .chunk = chunk, .timings = {}};
    SamplerInput input;

    // Text.
    Clock::time_point start = Clock::now();
    const PromptTemplate prompt(request.prompt);
    const TextOptions text_options{request.clip_skip, request.max_sequence_length};
    std::map<std::string, Condition> encoded;  // images often share their text
    std::vector<Condition> conditions;
    for (std::size_t i = 0; i < request.seeds.size(); ++i) {
        group.prompts.push_back(prompt.expand(i, request.seeds.front()));
        const std::string& text = group.prompts.back();
        auto known = encoded.find(text);
        if (known == encoded.end()) {
            for (const std::string& cut : backbone.truncations(text, text_options))
                log::warn("[--prompt] {}", cut);
            known = encoded.emplace(text, backbone.encode(text, text_options)).first;
        }
        conditions.push_back(known->second);
    }
    const auto images = static_cast<std::int64_t>(request.seeds.size());
    input.condition =
        encoded.size() == 1 ? conditions.front().repeated(images) : Condition::concatenated(conditions);
    if (is_guided(request)) {
        const TextOptions all_layers{0, request.max_sequence_length};
        input.unconditional = backbone.encode(request.negative_prompt, all_layers).repeated(images);
    }
    if (state.offload) backbone.release_text_encoders();
    synchronize(backbone.device());
    group.timings.text = seconds_since(start);

    // Denoise.
    start = Clock::now();
    input.seeds = request.seeds;
    input.noise =
        start_noise(request.seeds, request.variation, backbone.latent_shape(size)).to(backbone.device());
    const auto after_step = [&](const GroupStep& at, const at::Tensor& clean) {
        state.say(events, "denoise", at.index + 1, at.count);
        const bool last = at.index + 1 == at.count;
        if (events.preview && !last &&
            static_cast<std::int64_t>(at.index + 1) % events.preview_interval == 0) {
            events.preview(to_images(backbone.decoder().decode(at::avg_pool2d(clean, 2))), at.index + 1);
        }
        return !stopping();
    };
    state.say(events, "denoise", 0, static_cast<std::size_t>(*request.steps));
    SamplerOutput sampled =
        sample(backbone, schedule_for(backbone, request), *method, std::move(input),
               {.cfg_scale = *request.cfg_scale, .chunk = chunk, .after_step = after_step});
    group.seeds = std::move(sampled.seeds);
    group.timings.method = sampled.method_seconds;
    if (state.offload) backbone.release_denoiser();
    synchronize(backbone.device());
    group.timings.denoise = seconds_since(start);

    // Decode. What is decoded when a stop is asked for is kept.
    start = Clock::now();
    const double bytes = backbone.decoder().bytes_per_pixel() * static_cast<double>(size.width * size.height);
    const std::int64_t at_once =
        options_.vae_tiling
            ? 1
            : images_that_fit(chunk, bytes, state.budget(options_.max_vram), "try --vae-tiling");
    for (const at::Tensor& part : sampled.latents.split(at_once)) {
        state.say(events, "decode", group.images.size(), group.seeds.size());
        if (stopping() && !group.images.empty()) {
            group.complete = false;
            break;
        }
        for (Image& image : to_images(backbone.decoder().decode(part)))
            group.images.push_back(std::move(image));
    }
    state.say(events, "decode", group.images.size(), group.seeds.size());
    group.peak_device_bytes = peak_memory(backbone.device());
    if (state.offload) backbone.decoder().release();
    group.timings.decode = seconds_since(start);
    return group;
}

}  // namespace gass
