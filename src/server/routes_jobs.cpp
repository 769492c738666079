#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "engine/request.h"
#include "explain/figure.h"
#include "explain/group_story.h"
#include "io/set_folder.h"
#include "plot/scene.h"
#include "record/group_json.h"
#include "server/app.h"
#include "server/result.h"
#include "server/zip_file.h"

#include <gass/record.h>

#include <fmt/format.h>

#include <random>
#include <utility>

namespace gass::server {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostListed = 200;
constexpr std::size_t kLongestQuery = 1000;

void post_job(const App& app, const Call& call) {
    const Wish wish = read_wish(parse_body(call.request().body), app.options.limits);
    const Job job = submit(app, call, wish, false);
    http::Response response{.status = 202,
                            .body = app.jobs.shown(job).dump(-1, ' ', false, Json::error_handler_t::replace)};
    response.headers.emplace_back("Location", "/api/v1/jobs/" + job.id);
    call.answer(std::move(response));
}

/// The same seeds for every method, drawn here where they are left to chance.
void post_comparison(const App& app, const Call& call) {
    const Wish wish = read_wish(parse_body(call.request().body), app.options.limits, WishKind::comparison);
    Request request = wish.request;
    if (request.seeds.empty() && request.seed == -1) request.seed = std::random_device{}() & 0x7FFFFFFFU;
    std::vector<Wish> wishes;
    for (const std::string& method : wish.methods) {
        Wish one = wish;
        one.request = under_method(request, method);
        one.given.erase("methods");
        one.given["method"] = method;
        if (one.client.empty()) one.client = call.request().peer;
        wishes.push_back(std::move(one));
    }
    // What is wrong with one of them is told before any is queued.
    const auto engine = app.models.open(wish.model.empty() ? app.models.default_name() : wish.model);
    for (const Wish& one : wishes) engine->plan(one.request);
    std::vector<Job> jobs;
    try {
        for (const Wish& one : wishes) jobs.push_back(submit(app, call, one, false));
    } catch (const Error&) {
        for (const Job& job : jobs) app.jobs.remove(job.id, job.owner);
        throw;
    }
    call.json(202, {{"id", jobs.front().id}, {"jobs", app.jobs.shown(jobs)}});
}

std::int64_t number_parameter(const Call& call, std::string_view key, std::int64_t fallback,
                              std::int64_t most) {
    const std::string* text = call.request().parameter(key);
    if (text == nullptr) return fallback;
    const auto number = parse_number<std::int64_t>(*text);
    if (!number || *number < 1 || *number > most)
        fail(ErrorCode::usage, SettingKey(key), "expected 1 to {}, got {}", most, in_quotes(*text));
    return *number;
}

void list_jobs(const App& app, const Call& call) {
    JobFilter filter;
    if (const std::string* state = call.request().parameter("state"); state != nullptr && !state->empty()) {
        filter.state = job_state(*state);
        if (!filter.state)
            fail(ErrorCode::usage, SettingKey("state"),
                 "expected queued, running, completed, failed or cancelled, got {}", in_quotes(*state));
    }
    if (const std::string* query = call.request().parameter("query")) {
        if (query->size() > kLongestQuery)
            fail(ErrorCode::usage, SettingKey("query"), "at most {} bytes", kLongestQuery);
        filter.query = *query;
    }
    filter.before = number_parameter(call, "before", 0, INT64_MAX);
    filter.limit = number_parameter(call, "limit", filter.limit, kMostListed);
    const std::vector<Job> jobs = app.jobs.list(call.owner(), filter);
    const bool may_go_on = std::cmp_equal(jobs.size(), filter.limit);
    call.json(200, {{"jobs", app.jobs.shown(jobs)},
                    {"next", may_go_on ? Json(std::to_string(jobs.back().number)) : Json()}});
}

/// Whoever listens, until he goes.
class Listener {
  public:
    Listener(std::shared_ptr<LiveJob> live, std::weak_ptr<http::Exchange> exchange) : live_(std::move(live)) {
        ticket_ = live_->events.subscribe([exchange = std::move(exchange)] {
            if (const auto there = exchange.lock()) there->wake();
        });
    }
    ~Listener() { live_->events.unsubscribe(ticket_); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    std::optional<std::string> next(std::int64_t& after) const {
        std::string text = live_->events.read(after);
        if (text.empty() && live_->events.ends_at(after)) return std::nullopt;
        return text;
    }

  private:
    std::shared_ptr<LiveJob> live_;
    std::uint64_t ticket_ = 0;
};

/// The events of a job that nothing is remembered of but how it ended.
std::string ended_events(const App& app, const Job& job, std::int64_t after) {
    std::string text;
    std::int64_t number = after;
    const Json shown = app.jobs.shown(job);
    if (after == 0) {
        text += event_text(++number, "state", shown);
        for (const Json& image : shown.at("images")) text += event_text(++number, "image", image);
    }
    return text +
           event_text(number + 1, job.state == JobState::completed ? "done" : to_string(job.state), shown);
}

void stream_events(const App& app, const Call& call) {
    const std::optional<Job> job = job_of(app, call);
    if (!job) return;
    std::int64_t after = 0;
    const std::string* said = call.request().header("last-event-id");
    if (said == nullptr) said = call.request().parameter("after");
    if (said != nullptr && !said->empty()) {
        const auto number = parse_number<std::int64_t>(*said);
        if (!number || *number < 0)
            fail(ErrorCode::usage, SettingKey("after"), "expected an event's id, got {}", in_quotes(*said));
        after = *number;
    }
    http::Response head{.type = "text/event-stream", .heartbeat = ": still here\n\n"};
    head.headers.emplace_back("X-Accel-Buffering", "no");
    if (const auto live = app.jobs.live(job->id)) {
        call.stream(std::move(head), [listener = std::make_shared<Listener>(live, call.weak_exchange()),
                                      after]() mutable { return listener->next(after); });
        return;
    }
    call.stream(std::move(head), [text = std::optional(ended_events(app, *job, after))]() mutable {
        return std::exchange(text, std::nullopt);
    });
}

/// The folder of a job that is completed; none, with a refusal given, if it is not.
std::optional<fs::path> set_of(const App& app, const Call& call) {
    const std::optional<Job> job = job_of(app, call);
    if (!job) return std::nullopt;
    if (job->state != JobState::completed) {
        call.not_found("state", fmt::format("thing: the job is {}", to_string(job->state)));
        return std::nullopt;
    }
    return app.jobs.folder_of(job->id);
}

void get_image(const App& app, const Call& call) {
    const auto folder = set_of(app, call);
    if (!folder) return;
    const auto index = index_of(call.part("index"));
    if (!index) return call.not_found("index", "image");
    call.file(*folder / picture_name(*index, picture_format("png")), "image/png");
}

void get_preview(const App& app, const Call& call) {
    const std::optional<Job> job = job_of(app, call);
    if (!job) return;
    const auto live = app.jobs.live(job->id);
    const auto index = index_of(call.part("index"));
    const auto preview = live && index ? live->preview(*index) : std::nullopt;
    if (!preview) return call.not_found("index", "preview");
    call.answer({.type = preview->type, .body = preview->bytes});
}

void get_zip(const App& app, const Call& call) {
    const auto folder = set_of(app, call);
    if (!folder) return;
    std::vector<fs::path> files;
    for (const std::string& name : pictures_of_set(*folder)) files.push_back(*folder / name);
    for (const char* const name : {kSheetFile, kPageFile, kGroupFile}) files.push_back(*folder / name);
    const fs::path zip = *folder / fmt::format(".{}.zip", new_job_id());
    const std::string name = "gass-" + call.part("id").substr(0, 8);
    write_zip(zip, files, name);
    call.made_file(zip, "application/zip", name + ".zip");
}

void get_explanation(const App& app, const Call& call) {
    const auto folder = set_of(app, call);
    if (!folder) return;
    const Json group = finished_group(*folder);
    if (group.is_null()) return call.not_found("id", "set any more");
    const explain::GroupStory story = explain::story_of(read_group(group, kGroupFile));
    if (!story.tells_anything()) return call.not_found("method", "story: the method tells none");
    std::vector<std::string> unreadable;
    const auto thumbnails = explain::read_thumbnails(*folder, story.pictures, unreadable);
    http::Response response{.type = "image/svg+xml",
                            .body = plot::to_svg(explain::draw_figure(story, thumbnails))};
    response.headers.emplace_back("Content-Security-Policy",
                                  "default-src 'none'; style-src 'unsafe-inline'; img-src data:");
    call.answer(std::move(response));
}

}  // namespace

void add_job_routes(Router& router, const App& app) {
    const auto add = [&](std::string method, std::string pattern, void (*act)(const App&, const Call&),
                         std::size_t body_bytes = 0) {
        router.add({.method = std::move(method),
                    .pattern = "/api/v1" + pattern,
                    .handler = [&app, act](const std::shared_ptr<Call>& call) { act(app, *call); },
                    .body_bytes = body_bytes,
                    .needs_models = body_bytes > 0});
    };
    const std::size_t body = app.options.limits.body_bytes;
    add("POST", "/jobs", post_job, body);
    add("POST", "/compare", post_comparison, body);
    add("GET", "/jobs", list_jobs);
    add("GET", "/jobs/{id}", [](const App& known, const Call& call) {
        if (const auto job = job_of(known, call)) call.json(200, known.jobs.shown(*job));
    });
    router.add({.method = "POST",
                .pattern = "/api/v1/jobs/{id}/cancel",
                .handler =
                    [&app](const std::shared_ptr<Call>& call) {
                        const auto job = app.jobs.cancel(call->part("id"), call->owner());
                        if (!job) return call->not_found("id", "job");
                        call->json(200, app.jobs.shown(*job));
                    },
                .body_bytes = body});
    add("DELETE", "/jobs/{id}", [](const App& known, const Call& call) {
        if (!known.jobs.remove(call.part("id"), call.owner())) return call.not_found("id", "job");
        call.answer({.status = 204});
    });
    add("GET", "/jobs/{id}/events", stream_events);
    add("GET", "/jobs/{id}/images/{index}", get_image);
    add("GET", "/jobs/{id}/previews/{index}", get_preview);
    add("GET", "/jobs/{id}/sheet", [](const App& known, const Call& call) {
        if (const auto folder = set_of(known, call)) call.file(*folder / kSheetFile, "image/png");
    });
    add("GET", "/jobs/{id}/record", [](const App& known, const Call& call) {
        if (const auto folder = set_of(known, call)) call.file(*folder / kGroupFile, "application/json");
    });
    add("GET", "/jobs/{id}/zip", get_zip);
    add("GET", "/jobs/{id}/explain", get_explanation);
}

}  // namespace gass::server
