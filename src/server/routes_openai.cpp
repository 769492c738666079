#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "server/answer_pictures.h"
#include "server/app.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

// The images API of OpenAI, as its clients call it.
namespace gass::server {
namespace {

constexpr std::int64_t kMostImages = 10;
constexpr std::int64_t kMostPartial = 3;

/// Fields of OpenAI's that mean nothing here.
constexpr std::array<std::string_view, 6> kIgnored{"background", "moderation", "style",
                                                   "user",       "quality",    "safety_identifier"};

/// What a request says of its answer.
struct Form {
    bool as_url = false;
    std::string format = "png";
    int quality = 100;
    bool streams = false;
    std::int64_t partial = 0;
};

std::string choice(const Json& value, std::string_view key, std::initializer_list<std::string_view> choices) {
    const bool is_text = value.is_string();
    const std::string text =
        is_text ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (!is_text || std::ranges::find(choices, text) == choices.end()) {
        std::string all;
        for (const std::string_view one : choices) all += (all.empty() ? "" : ", ") + std::string(one);
        fail(ErrorCode::usage, SettingKey(key), "expected one of {}; got {}", all, in_quotes(text));
    }
    return text;
}

/// "512x768"; "auto" leaves it to the model.
void read_size(const Json& value, Json& wish) {
    const std::string text = value.is_string() ? value.get<std::string>() : std::string();
    if (text == "auto") return;
    const std::size_t cross = text.find('x');
    const auto width = parse_number<std::int64_t>(std::string_view(text).substr(0, cross));
    const auto height = cross == text.npos
                            ? std::nullopt
                            : parse_number<std::int64_t>(std::string_view(text).substr(cross + 1));
    if (!width || !height)
        fail(ErrorCode::usage, SettingKey("size"), "expected WIDTHxHEIGHT or auto, got {}",
             in_quotes(value.dump(-1, ' ', false, Json::error_handler_t::replace)));
    wish["width"] = *width;
    wish["height"] = *height;
}

/// Takes OpenAI's own fields out of the body, and leaves ours.
Form read_form(const Json& body, Json& wish) {
    if (!body.is_object()) fail(ErrorCode::usage, "body", "expected a JSON object");
    Form form;
    for (const auto& [key, value] : body.items()) {
        if (value.is_null() || std::ranges::find(kIgnored, key) != kIgnored.end()) continue;
        if (key == "n") {
            wish["images"] = checked_integer(value, "body", "n", 1, kMostImages);
        } else if (key == "size") {
            read_size(value, wish);
        } else if (key == "response_format") {
            form.as_url = choice(value, key, {"url", "b64_json"}) == "url";
        } else if (key == "output_format") {
            form.format = choice(value, key, {"png", "jpeg", "webp"});
        } else if (key == "output_compression") {
            form.quality = std::max(1, static_cast<int>(checked_integer(value, "body", key, 0, 100)));
        } else if (key == "stream") {
            if (!value.is_boolean()) fail(ErrorCode::usage, SettingKey(key), "expected true or false");
            form.streams = value.get<bool>();
        } else if (key == "partial_images") {
            form.partial = checked_integer(value, "body", key, 0, kMostPartial);
        } else {
            wish[key] = value;
        }
    }
    if (!wish.contains("images")) wish["images"] = 1;
    wish["previews"] = form.streams && form.partial > 0;
    return form;
}

/// A mistake in a body is its sender's.
template <class Read>
auto as_usage(const Read& read) {
    try {
        return read();
    } catch (const Error& error) {
        if (error.code() != ErrorCode::model_invalid) throw;
        throw Error(ErrorCode::usage, error.where(), error.message());
    }
}

Json usage_json(std::size_t images) {
    return {{"input_tokens", 0},
            {"input_tokens_details", {{"image_tokens", 0}, {"text_tokens", 0}}},
            {"output_tokens", images},
            {"total_tokens", images}};
}

std::string size_of(const Job& job) {
    const Json plan = plan_json(job.plan);
    return fmt::format("{}x{}", plan.at("width").get<std::int64_t>(), plan.at("height").get<std::int64_t>());
}

/// The error that a job ended with; 499 if it was cancelled.
http::Refusal ending_of(const Job& job) {
    if (job.state == JobState::cancelled) return {499, "cancelled", "job", "the job was cancelled"};
    const std::string code = job.error.value("code", "failure");
    int status = 500;
    if (code == "usage") status = 400;
    if (code == "out_of_memory" || code == "device") status = 503;
    return {status, code, job.error.value("where", "job"), job.error.value("message", "it failed")};
}

std::string base_address(const http::Request& request) {
    const std::string* scheme = request.header("x-forwarded-proto");
    const std::string* host = request.header("host");
    return fmt::format("{}://{}", scheme != nullptr && *scheme == "https" ? "https" : "http",
                       host == nullptr ? "localhost" : *host);
}

Json answer_json(const App& app, const Call& call, const Job& job, const Form& form) {
    Json data = Json::array();
    for (std::size_t i = 0; i < image_count(job); ++i) {
        Json image;
        if (form.as_url)
            image["url"] =
                fmt::format("{}/api/v1/jobs/{}/images/{}", base_address(call.request()), job.id, i);
        else
            image["b64_json"] = base64_of(image_bytes_as(app, job, i, form.format, form.quality));
        image["revised_prompt"] = nullptr;
        image["seed"] = job.result.at("images")[i].at("seed");
        data.push_back(std::move(image));
    }
    return {{"created", job.finished / 1000},
            {"data", std::move(data)},
            {"background", "opaque"},
            {"output_format", form.as_url ? "png" : form.format},
            {"quality", "auto"},
            {"size", size_of(job)},
            {"usage", usage_json(image_count(job))},
            {"job", job.id}};
}

/// What a stream of partial images has said so far.
class PartialImages {
  public:
    PartialImages(const App& app, std::shared_ptr<LiveJob> live, Job job, const Form& form)
        : app_(app), live_(std::move(live)), job_(std::move(job)), form_(form), size_(size_of(job_)) {}

    std::optional<std::string> next() {
        if (is_ended_) return std::nullopt;
        const std::optional<Job> now = app_.jobs.find(job_.id, job_.owner);
        if (now && !is_final(now->state) && !is_stopped_) return partial();
        is_ended_ = true;
        if (!now || now->state != JobState::completed) {
            const http::Refusal refusal =
                now && is_final(now->state) ? ending_of(*now) : refusal_of(Stopping());
            return "data: " + refusal_response(refusal, Dialect::openai, "").body + "\n\n";
        }
        std::string text;
        for (std::size_t i = 0; i < image_count(*now); ++i) {
            Json json = event("image_generation.completed", i, form_.format,
                              image_bytes_as(app_, *now, i, form_.format, form_.quality));
            json["usage"] = usage_json(image_count(*now));
            text += line(json);
        }
        return text + "data: [DONE]\n\n";
    }
    void stop() { is_stopped_ = true; }

  private:
    std::string partial() {
        std::string text;
        if (said_ == form_.partial) return text;
        const std::size_t count = live_->preview_count();
        for (std::size_t i = 0; i < count; ++i) {
            const auto preview = live_->preview(i);
            if (!preview || preview->step <= step_) return text;
            Json json = event("image_generation.partial_image", i, "jpeg", preview->bytes);
            json["partial_image_index"] = said_;
            text += line(json);
            if (i + 1 < count) continue;
            step_ = preview->step;
            ++said_;
        }
        return text;
    }
    Json event(std::string_view type, std::size_t index, std::string_view format,
               const std::string& bytes) const {
        return {{"type", type},
                {"b64_json", base64_of(bytes)},
                {"background", "opaque"},
                {"created_at", now_in_milliseconds() / 1000},
                {"output_format", format},
                {"quality", "auto"},
                {"size", size_},
                {"image_index", index}};
    }
    static std::string line(const Json& json) {
        return fmt::format("event: {}\ndata: {}\n\n", json.at("type").get<std::string>(), json.dump());
    }

    const App& app_;
    std::shared_ptr<LiveJob> live_;
    Job job_;
    Form form_;
    std::string size_;
    std::int64_t said_ = 0;
    std::size_t step_ = 0;
    std::atomic<bool> is_stopped_{false};
    bool is_ended_ = false;
};

void stream_images(const App& app, const std::shared_ptr<Call>& call, const Job& job, const Form& form) {
    const auto live = app.jobs.live(job.id);
    if (!live) return call->not_found("job", "job");
    call->exchange().when_gone(
        [&jobs = app.jobs, id = job.id, owner = job.owner] { jobs.cancel(id, owner); });
    auto images = std::make_shared<PartialImages>(app, live, job, form);
    live->when_over([images = std::weak_ptr(images), exchange = call->weak_exchange()] {
        if (const auto there = images.lock()) there->stop();
        if (const auto there = exchange.lock()) there->wake();
    });
    // Each look at the job is a reading of the disk: that there is a new preview is reason enough, a step is
    // not.
    const std::uint64_t ticket = live->events.subscribe([exchange = call->weak_exchange()] {
        if (const auto there = exchange.lock()) there->wake();
    });
    const std::shared_ptr<void> subscription(nullptr,
                                             [live, ticket](void*) { live->events.unsubscribe(ticket); });
    http::Response head{.type = "text/event-stream", .heartbeat = ": still here\n\n"};
    head.headers.emplace_back("X-Accel-Buffering", "no");
    call->stream(std::move(head), [images, subscription] { return images->next(); });
}

void generate(const App& app, const std::shared_ptr<Call>& call) {
    Json wish_json = Json::object();
    const Json body = parse_body(call->request().body);
    const Form form = as_usage([&] { return read_form(body, wish_json); });
    const Wish wish = read_wish(wish_json, app.options.limits);
    const Job job = submit(app, *call, wish, true);
    if (form.streams) return stream_images(app, call, job, form);
    answer_when_over(app, call, job, [&app, call, form](const Job& over) {
        if (over.state != JobState::completed) return call->refuse(ending_of(over));
        call->json(200, answer_json(app, *call, over, form));
    });
}

Json model_json(const ModelCard& card) {
    return {{"id", card.name}, {"object", "model"}, {"created", 0}, {"owned_by", "gass"}};
}

}  // namespace

void add_openai_routes(Router& router, const App& app) {
    router.add({.method = "POST",
                .pattern = "/v1/images/generations",
                .handler = [&app](const std::shared_ptr<Call>& call) { generate(app, call); },
                .body_bytes = app.options.limits.body_bytes,
                .needs_models = true});
    router.add({.method = "GET",
                .pattern = "/v1/models",
                .handler =
                    [&app](const std::shared_ptr<Call>& call) {
                        Json data = Json::array();
                        for (const ModelCard& card : app.models.cards()) data.push_back(model_json(card));
                        call->json(200, {{"object", "list"}, {"data", std::move(data)}});
                    },
                .is_quick = true});
    router.add({.method = "GET",
                .pattern = "/v1/models/{id}",
                .handler =
                    [&app](const std::shared_ptr<Call>& call) {
                        const auto card =
                            std::ranges::find(app.models.cards(), call->part("id"), &ModelCard::name);
                        if (card == app.models.cards().end()) return call->not_found("id", "model");
                        call->json(200, model_json(*card));
                    },
                .is_quick = true});
}

}  // namespace gass::server
