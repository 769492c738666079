#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "io/image.h"
#include "io/infotext.h"
#include "io/picture_format.h"
#include "server/answer_pictures.h"
#include "server/app.h"
#include "text/base64.h"

#include <gass/version.h>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

// The API of AUTOMATIC1111's web UI, as its clients call it.
namespace gass::server {
namespace {

constexpr std::string_view kScript = "GASS";
constexpr std::string_view kClient = "sdapi ";

struct SamplerName {
    std::string_view theirs;
    std::string_view ours;
};
/// The first of each of ours is the name that lists have.
constexpr std::array<SamplerName, 6> kSamplers{{{"Automatic", "default"},
                                                {"Euler a", "default"},  // what clients send who have no wish
                                                {"Euler", "euler"},
                                                {"DDIM", "ddim"},
                                                {"DPM++ 2M", "dpm++2m"},
                                                {"PLMS", "plms"}}};
constexpr std::array<SamplerName, 2> kSchedulers{{{"automatic", "default"}, {"karras", "karras"}}};

/// A1111 has fields by the dozen. Those that change the image and that nothing here corresponds to must be as
/// they are by default.
constexpr std::array<std::string_view, 3> kMustBeOff{"enable_hr", "restore_faces", "tiling"};

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

template <std::size_t N>
std::string_view ours_for(const std::array<SamplerName, N>& names, std::string_view theirs,
                          std::string_view key) {
    for (const SamplerName& name : names) {
        if (lower(name.theirs) == lower(theirs) || name.ours == theirs) return name.ours;
    }
    throw Error(ErrorCode::model_not_found, SettingKey(key), "there is no " + in_quotes(theirs));
}

[[noreturn]] void refuse_script(std::string_view name) {
    fail(ErrorCode::model_invalid, SettingKey("alwayson_scripts"), "there is no script {}; expected {}",
         in_quotes(name), kScript);
}

/// ["gass", 0.5, "at night|at noon"], or one object with ours by name.
void read_script(const Json& args, Json& wish) {
    if (!args.is_array()) fail(ErrorCode::model_invalid, SettingKey("args"), "expected a list");
    if (args.size() == 1 && args[0].is_object()) {
        for (const auto& [key, value] : args[0].items()) {
            if (key != "method" && key != "strength" && key != "vary" && key != "dep" && key != "ind" &&
                key != "target")
                fail(ErrorCode::model_invalid, SettingKey("args"),
                     "there is no {}; expected method, strength, vary, dep, ind or target", in_quotes(key));
            wish[key] = value;
        }
        return;
    }
    constexpr std::array<const char*, 3> kKeys{"method", "strength", "vary"};
    if (args.size() > kKeys.size())
        fail(ErrorCode::model_invalid, SettingKey("args"), "expected method, strength and vary");
    for (std::size_t i = 0; i < args.size(); ++i) {
        const bool is_empty = args[i].is_string() && args[i].get_ref<const std::string&>().empty();
        if (!is_empty) wish[kKeys[i]] = args[i];
    }
}

/// The member, if it is there and not null; one of another kind is refused.
const Json* member(const Json& body, std::string_view key, bool (Json::*is_kind)() const noexcept,
                   std::string_view kind) {
    const auto found = body.find(key);
    if (found == body.end() || found->is_null()) return nullptr;
    if (!((*found).*is_kind)())
        fail(ErrorCode::model_invalid, SettingKey(key), "expected {}, got {}", kind,
             in_quotes(found->dump(-1, ' ', false, Json::error_handler_t::replace)));
    return &*found;
}

std::string text_in(const Json& body, std::string_view key) {
    const Json* text = member(body, key, &Json::is_string, "text");
    return text == nullptr ? std::string() : text->get<std::string>();
}

void read_scripts(const Json& body, Json& wish) {
    const std::string name = text_in(body, "script_name");
    const Json* args = member(body, "script_args", &Json::is_array, "a list");
    if (!name.empty()) {
        if (lower(name) != lower(kScript)) refuse_script(name);
        if (args != nullptr) read_script(*args, wish);
    }
    const Json* scripts = member(body, "alwayson_scripts", &Json::is_object, "an object");
    if (scripts == nullptr) return;
    for (const auto& [key, script] : scripts->items()) {
        if (lower(key) != lower(kScript)) refuse_script(key);
        if (!script.is_object())
            fail(ErrorCode::model_invalid, SettingKey("alwayson_scripts"), "expected an object with args");
        if (script.contains("args")) read_script(script.at("args"), wish);
    }
}

/// A number that may come as a float.
std::optional<std::int64_t> whole(const Json& body, const char* key) {
    const auto found = body.find(key);
    if (found == body.end() || found->is_null()) return std::nullopt;
    if (!found->is_number() || std::abs(found->get<double>()) > 1e15 ||
        found->get<double>() != std::floor(found->get<double>()))
        fail(ErrorCode::model_invalid, SettingKey(key), "expected a whole number, got {}",
             in_quotes(found->dump(-1, ' ', false, Json::error_handler_t::replace)));
    return found->is_number_float() ? static_cast<std::int64_t>(found->get<double>())
                                    : found->get<std::int64_t>();
}

void read_names(const Json& body, Json& wish) {
    std::string sampler = text_in(body, "sampler_name");
    const std::string older = text_in(body, "sampler_index");
    if (sampler.empty()) sampler = older;
    if (!sampler.empty()) wish["sampling_method"] = ours_for(kSamplers, sampler, "sampler_name");
    if (const std::string scheduler = text_in(body, "scheduler"); !scheduler.empty())
        wish["scheduler"] = ours_for(kSchedulers, scheduler, "scheduler");
    if (const Json* settings = member(body, "override_settings", &Json::is_object, "an object")) {
        if (const std::string model = text_in(*settings, "sd_model_checkpoint"); !model.empty())
            wish["model"] = model;
    }
}

/// What A1111's fields mean in ours.
Json wish_of(const Json& body) {
    if (!body.is_object()) fail(ErrorCode::model_invalid, "body", "expected a JSON object");
    for (const std::string_view key : kMustBeOff) {
        const Json* flag = member(body, key, &Json::is_boolean, "true or false");
        if (flag != nullptr && flag->get<bool>())
            fail(ErrorCode::model_invalid, SettingKey(key), "this server has no such thing");
    }
    Json wish{{"prompt", ""}};
    const auto take = [&](const char* key) {
        if (const auto found = body.find(key); found != body.end() && !found->is_null()) wish[key] = *found;
    };
    for (const char* key : {"prompt", "negative_prompt", "cfg_scale", "method", "strength", "vary", "dep",
                            "ind", "target", "model"})
        take(key);
    for (const char* key : {"width", "height", "steps", "seed"}) {
        if (const auto value = whole(body, key)) wish[key] = *value;
    }
    if (!wish.contains("seed")) wish["seed"] = -1;
    const std::int64_t batch = whole(body, "batch_size").value_or(1);
    const std::int64_t times = whole(body, "n_iter").value_or(1);
    if (batch < 1 || times < 1 || batch > 1024 || times > 1024)
        fail(ErrorCode::model_invalid, SettingKey("batch_size"),
             "expected 1 to 1024 for each of `batch_size` and `n_iter`");
    wish["images"] = batch * times;
    const std::int64_t variation = whole(body, "subseed").value_or(-1);
    const Json* strength = member(body, "subseed_strength", &Json::is_number, "a number");
    if (variation >= 0 && strength != nullptr && strength->get<double>() > 0) {
        wish["variation_seed"] = variation;
        wish["variation_strength"] = *strength;
    }
    read_names(body, wish);
    read_scripts(body, wish);
    return wish;
}

std::string infotext_in(const std::string& png) {
    const ImageInfo info = decode_image_info(std::as_bytes(std::span(png)), "image");
    const std::string* text = find_text(info, kParametersKey);
    return text == nullptr ? std::string() : *text;
}

/// Everything that A1111's answer says of a set.
Json info_json(const Job& job, const std::vector<std::string>& infotexts) {
    const Json plan = plan_json(job.plan);
    const Json& images = job.result.at("images");
    Json seeds = Json::array();
    for (const Json& image : images) seeds.push_back(image.at("seed"));
    const auto repeated = [&](const Json& value) { return Json(std::vector<Json>(images.size(), value)); };
    return {{"prompt", plan.at("prompt")},
            {"all_prompts", repeated(plan.at("prompt"))},
            {"negative_prompt", plan.at("negative_prompt")},
            {"all_negative_prompts", repeated(plan.at("negative_prompt"))},
            {"seed", seeds.empty() ? Json(-1) : seeds.front()},
            {"all_seeds", seeds},
            {"subseed", 0},
            {"all_subseeds", repeated(0)},
            {"subseed_strength", 0},
            {"width", plan.at("width")},
            {"height", plan.at("height")},
            {"sampler_name", plan.at("sampling_method")},
            {"cfg_scale", plan.at("cfg_scale")},
            {"steps", plan.at("steps")},
            {"batch_size", images.size()},
            {"restore_faces", false},
            {"sd_model_name", job.model},
            {"infotexts", infotexts},
            {"index_of_first_image", 0},
            {"styles", Json::array()},
            {"version", version()},
            {"gass", {{"job", job.id}, {"method", plan.at("method")}, {"spread", job.result.at("spread")}}}};
}

void answer_pictures(const App& app, const Call& call, const Job& job, const Json& parameters) {
    Json images = Json::array();
    std::vector<std::string> infotexts;
    for (std::size_t i = 0; i < image_count(job); ++i) {
        const std::string png = image_bytes(app, job, i);
        infotexts.push_back(infotext_in(png));
        images.push_back(base64_of(png));
    }
    call.json(200,
              {{"images", std::move(images)},
               {"parameters", parameters},
               {"info", info_json(job, infotexts).dump(-1, ' ', false, Json::error_handler_t::replace)}});
}

/// A1111 answers a set that was interrupted with what there is.
void answer_ending(const App& app, const Call& call, const Job& job, const Json& parameters) {
    if (job.state == JobState::completed) return answer_pictures(app, call, job, parameters);
    if (job.state == JobState::cancelled)
        return call.json(200, {{"images", Json::array()},
                               {"parameters", parameters},
                               {"info", Json{{"interrupted", true}, {"infotexts", Json::array()}}.dump()}});
    call.refuse(http::Refusal{500, job.error.value("code", "failure"), job.error.value("where", "job"),
                              job.error.value("message", "it failed")});
}

/// Whose progress and whose interruption it is: the same key's, from the same machine.
std::string client_of(const Call& call) {
    return std::string(kClient) + call.request().peer;
}

void txt2img(const App& app, const std::shared_ptr<Call>& call) {
    const Json body = parse_body(call->request().body);
    Json wish_json = wish_of(body);
    wish_json["client"] = client_of(*call);
    const Wish wish = read_wish(wish_json, app.options.limits);
    const Job job = submit(app, *call, wish, true);
    answer_when_over(app, call, job,
                     [&app, call, body](const Job& over) { answer_ending(app, *call, over, body); });
}

/// The caller's own jobs that are not over, the one that runs first.
std::vector<Job> own_jobs(const App& app, const Call& call) {
    std::vector<Job> jobs;
    for (const JobState state : {JobState::running, JobState::queued}) {
        for (Job& job : app.jobs.list(call.owner(), {.state = state})) {
            if (job.client == client_of(call)) jobs.push_back(std::move(job));
        }
    }
    return jobs;
}

void get_progress(const App& app, const Call& call) {
    const std::vector<Job> jobs = own_jobs(app, call);
    JobProgress progress;
    Json image;
    const std::string* skip = call.request().parameter("skip_current_image");
    if (skip != nullptr && lower(*skip) != "true" && lower(*skip) != "false")
        fail(ErrorCode::usage, SettingKey("skip_current_image"), "expected true or false, got {}",
             in_quotes(*skip));
    const auto live =
        jobs.empty() || jobs.front().state != JobState::running ? nullptr : app.jobs.live(jobs.front().id);
    if (live) {
        progress = live->progress();
        const auto preview = live->preview(0);
        if (preview && (skip == nullptr || lower(*skip) != "true")) image = base64_of(preview->bytes);
    }
    const double done =
        progress.steps == 0 ? 0 : static_cast<double>(progress.step) / static_cast<double>(progress.steps);
    call.json(200, {{"progress", live ? std::min(done, 0.99) : 0.0},
                    {"eta_relative", progress.seconds_left.value_or(0)},
                    {"state",
                     {{"skipped", false},
                      {"interrupted", false},
                      {"stopping_generation", false},
                      {"job", jobs.empty() ? std::string() : jobs.front().id},
                      {"job_count", jobs.size()},
                      {"job_timestamp", jobs.empty() ? Json("0") : moment_json(jobs.front().created)},
                      {"job_no", 0},
                      {"sampling_step", progress.step},
                      {"sampling_steps", progress.steps}}},
                    {"current_image", image},
                    {"textinfo", nullptr}});
}

void interrupt(const App& app, const Call& call) {
    for (const Job& job : own_jobs(app, call)) {
        if (job.state == JobState::running) app.jobs.cancel(job.id, job.owner);
    }
    call.json(200, Json::object());
}

void png_info(const App& app, const Call& call) {
    const Json body = parse_body(call.request().body);
    if (!body.is_object() || !body.contains("image") || !body.at("image").is_string())
        fail(ErrorCode::model_invalid, SettingKey("image"), "expected a picture in base64");
    std::string_view text = body.at("image").get_ref<const std::string&>();
    if (const std::size_t comma = text.find(','); text.starts_with("data:") && comma != text.npos)
        text.remove_prefix(comma + 1);
    const std::string bytes = decode_base64(text, "image");
    (void)app;
    const ImageInfo info = decode_image_info(std::as_bytes(std::span(bytes)), "image");
    const std::string* parameters = find_text(info, kParametersKey);
    Json items = Json::object();
    for (const ImageText& item : info.text) items[item.key] = item.value;
    Json fields = Json::object();
    if (parameters != nullptr) {
        const Infotext parsed = parse_infotext(*parameters);
        fields["Prompt"] = parsed.prompt;
        fields["Negative prompt"] = parsed.negative_prompt;
        for (const auto& [key, value] : parsed.fields) fields[key] = value;
    }
    call.json(200, {{"info", parameters == nullptr ? Json("") : Json(*parameters)},
                    {"items", std::move(items)},
                    {"parameters", std::move(fields)}});
}

Json models_json(const Models& models) {
    Json list = Json::array();
    for (const ModelCard& card : models.cards())
        list.push_back({{"title", card.name},
                        {"model_name", card.name},
                        {"hash", nullptr},
                        {"sha256", nullptr},
                        {"filename", card.name},
                        {"config", nullptr}});
    return list;
}

Json samplers_json() {
    Json list = Json::array();
    for (const SamplerName& name : kSamplers)
        list.push_back({{"name", name.theirs}, {"aliases", {name.ours}}, {"options", Json::object()}});
    return list;
}

Json schedulers_json() {
    Json list = Json::array();
    for (const SamplerName& name : kSchedulers)
        list.push_back({{"name", name.theirs},
                        {"label", name.theirs == "karras" ? "Karras" : "Automatic"},
                        {"aliases", nullptr},
                        {"default_rho", -1},
                        {"need_inner_model", false}});
    return list;
}

Json memory_json() {
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
    const std::uint64_t total = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * page;
    const std::uint64_t free = static_cast<std::uint64_t>(::sysconf(_SC_AVPHYS_PAGES)) * page;
    return {{"ram", {{"free", free}, {"used", total - free}, {"total", total}}},
            {"cuda", {{"error", "unavailable"}}}};
}

/// Options are a request's own here: what one client sets would change what all others get.
void set_options(const App& app, const Call& call) {
    const Json body = parse_body(call.request().body);
    if (!body.is_object()) fail(ErrorCode::model_invalid, "body", "expected a JSON object");
    if (const auto model = body.find("sd_model_checkpoint");
        model != body.end() && *model != app.models.default_name()) {
        fail(
            ErrorCode::check_failed, SettingKey("sd_model_checkpoint"),
            "a model is chosen by a request, in `override_settings`, so that nobody changes what others get");
    }
    call.json(200, nullptr);
}

}  // namespace

void add_sdapi_routes(Router& router, const App& app) {
    const std::size_t body = app.options.limits.body_bytes;
    const auto add = [&](std::string method, std::string_view pattern, CallHandler handler,
                         std::size_t body_bytes = 0, bool needs_models = false) {
        router.add({.method = std::move(method),
                    .pattern = fmt::format("/sdapi/v1/{}", pattern),
                    .handler = std::move(handler),
                    .body_bytes = body_bytes,
                    .needs_models = needs_models});
    };
    const auto always = [&](std::string_view pattern, Json json) {
        add("GET", pattern,
            [json = std::move(json)](const std::shared_ptr<Call>& call) { call->json(200, json); });
    };
    add(
        "POST", "txt2img", [&app](const std::shared_ptr<Call>& call) { txt2img(app, call); }, body, true);
    add("GET", "progress", [&app](const std::shared_ptr<Call>& call) { get_progress(app, *call); });
    add(
        "POST", "interrupt", [&app](const std::shared_ptr<Call>& call) { interrupt(app, *call); }, body);
    add(
        "POST", "skip", [&app](const std::shared_ptr<Call>& call) { interrupt(app, *call); }, body);
    add(
        "POST", "png-info", [&app](const std::shared_ptr<Call>& call) { png_info(app, *call); },
        app.options.limits.upload_bytes);
    add(
        "POST", "options", [&app](const std::shared_ptr<Call>& call) { set_options(app, *call); }, body);
    add(
        "POST", "refresh-checkpoints", [](const std::shared_ptr<Call>& call) { call->json(200, nullptr); },
        body);
    always("options", {{"sd_model_checkpoint", app.models.default_name()}, {"samples_format", "png"}});
    always("sd-models", models_json(app.models));
    always("samplers", samplers_json());
    always("schedulers", schedulers_json());
    always("scripts", {{"txt2img", {"gass"}}, {"img2img", Json::array()}});
    always("script-info",
           Json::array(
               {{{"name", "gass"}, {"is_alwayson", true}, {"is_img2img", false}, {"args", Json::array()}}}));
    always("cmd-flags", Json::object());
    for (const char* const nothing : {"upscalers", "sd-vae", "loras", "prompt-styles", "hypernetworks",
                                      "face-restorers", "realesrgan-models", "latent-upscale-modes"})
        always(nothing, Json::array());
    always("embeddings", {{"loaded", Json::object()}, {"skipped", Json::object()}});
    add("GET", "memory", [](const std::shared_ptr<Call>& call) { call->json(200, memory_json()); });
}

}  // namespace gass::server
