#include "core/fail.h"
#include "core/log.h"
#include "server/app.h"
#include "server/http/server.h"
#include "server/journal.h"
#include "server/worker.h"

#include <csignal>
#include <ctime>
#include <memory>
#include <thread>
#include <vector>

namespace gass::server {
namespace {

constexpr unsigned kHttpThreads = 2;
constexpr auto kLastAnswers = std::chrono::seconds(5);
constexpr auto kGlance = std::chrono::milliseconds(20);
constexpr double kSweepSeconds = 60;

bool is_loopback(const std::string& host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

void check_reach(const ServeOptions& options) {
    if (is_loopback(options.host) || !options.keys.empty() || options.no_key) return;
    fail(ErrorCode::usage, SettingKey("host"),
         "on {} others can reach the server: give it a key with `api_key`, or say `no_api_key` if all of "
         "them may use it",
         options.host);
}

/// SIGTERM and SIGINT, for this thread alone: no other is interrupted by them.
class Signals {
  public:
    Signals() {
        sigemptyset(&set_);
        sigaddset(&set_, SIGTERM);
        sigaddset(&set_, SIGINT);
        pthread_sigmask(SIG_BLOCK, &set_, nullptr);
        std::signal(SIGPIPE, SIG_IGN);
    }
    /// Whether one comes within that time.
    bool wait(std::chrono::milliseconds time) const {
        const std::timespec span{time.count() / 1000, time.count() % 1000 * 1'000'000};
        return sigtimedwait(&set_, nullptr, &span) > 0;
    }

  private:
    sigset_t set_{};
};

/// The whole of a server: parts are made in an order in which each finds what it needs, and end in the other.
class Service {
  public:
    explicit Service(const ServeOptions& options)
        : options_(options),
          models_(options.engine, options.models, options.devices),
          jobs_(options.output,
                {.queued = options.queue,
                 .keep_milliseconds = static_cast<std::int64_t>(options.keep_seconds * 1000)}),
          access_({.keys = options.keys, .hosts = options.hosts, .cors_origins = options.cors_origins}),
          app_{options_,
               jobs_,
               models_,
               numbers_,
               [this] { return standing(); },
               [this] { return is_loading(); },
               [this](std::function<void()> work) { server_.aside(std::move(work)); }},
          router_(access_, [this] { return is_loading(); }),
          server_(options.host, options.port, {.connections = options.connections}, handlers(),
                  kHttpThreads) {
        jobs_.on_end = [this](const Job& job) { tell_end(job); };
        add_about_routes(router_, app_);
        add_page_routes(router_);
        add_job_routes(router_, app_);
        add_picture_routes(router_, app_);
        add_openai_routes(router_, app_);
        add_sdapi_routes(router_, app_);
    }

    int run(const Signals& signals) {
        for (std::size_t i = 0; i < models_.devices(); ++i)
            workers_.push_back(std::make_unique<Worker>(jobs_, models_, numbers_, i, options_.job_seconds));
        server_.start();
        journal(
            Severity::info, "listening",
            {{"host", options_.host}, {"port", server_.port()}, {"default_model", models_.default_name()}});
        auto swept = std::chrono::steady_clock::now() - std::chrono::hours(1);
        while (!signals.wait(kGlance * 10) && !has_failed()) {
            const auto now = std::chrono::steady_clock::now();
            if (std::chrono::duration<double>(now - swept).count() <
                std::min(kSweepSeconds, std::max(options_.keep_seconds, 1.0)))
                continue;
            jobs_.sweep();
            swept = now;
        }
        shut_down(signals);
        return has_failed() ? exit_status(ErrorCode::failure) : 0;
    }

  private:
    /// What runs is finished if that does not take long, and else put back, so that the next server makes it.
    void shut_down(const Signals& signals) {
        journal(Severity::info, "stopping", {{"running", jobs_.running()}, {"queued", jobs_.queued()}});
        jobs_.stop();
        server_.stop_accepting();
        const auto end =
            std::chrono::steady_clock::now() + std::chrono::duration<double>(options_.grace_seconds);
        while (jobs_.running() > 0 && std::chrono::steady_clock::now() < end && !signals.wait(kGlance)) {
        }
        for (const auto& worker : workers_) worker->give_up();
        for (const auto& worker : workers_) worker->join();
        jobs_.let_all_go();
        server_.stop(kLastAnswers);
        journal(Severity::info, "stopped", Json::object());
    }

    bool is_loading() const {
        for (const auto& worker : workers_) {
            if (worker->is_ready()) return false;
        }
        return true;
    }
    bool has_failed() const {
        for (const auto& worker : workers_) {
            if (worker->has_failed()) return true;
        }
        return false;
    }
    Numbers::Standing standing() const {
        return {.queued = jobs_.queued(),
                .running = jobs_.running(),
                .models = models_.loaded(),
                .connections = server_.connections()};
    }

    void tell_end(const Job& job) {
        const double seconds = job.started == 0 ? 0 : static_cast<double>(job.finished - job.started) / 1000;
        numbers_.ended(to_string(job.state), seconds);
        Json members{{"job", job.id},
                     {"request_id", job.request_id},
                     {"state", to_string(job.state)},
                     {"seconds", seconds}};
        if (job.error.is_object()) members["error"] = job.error;
        journal(job.state == JobState::failed ? Severity::warn : Severity::info, "job ended", members);
    }

    http::Handlers handlers() {
        return {
            .admit = [this](const http::Request& head) { return router_.admit(head); },
            .handle = [this](std::shared_ptr<http::Exchange> exchange) { router_.handle(exchange, server_); },
            .malformed =
                [](const http::Request& request, int status, const std::string& message) {
                    http::Response response = refusal_response({status, "malformed", "request", message},
                                                               Router::dialect_of(request), request.id);
                    add_common_headers(response, "");
                    return response;
                },
            .done = [this](const http::Request& request, int status, std::uint64_t bytes,
                           double seconds) { tell_request(request, status, bytes, seconds); }};
    }

    void tell_request(const http::Request& request, int status, std::uint64_t bytes, double seconds) {
        const std::string route = router_.name_of(request);
        numbers_.answered(route, status, seconds);
        const bool is_routine = route == "GET /health" || route == "GET /metrics";
        const Severity severity = status >= 500 && !is_routine ? Severity::warn
                                  : is_routine                 ? Severity::debug
                                                               : Severity::info;
        constexpr std::size_t kLongestShown = 200;
        journal(severity, "request",
                {{"request_id", request.id},
                 {"client", request.peer},
                 {"method", request.method.substr(0, kLongestShown)},
                 // Without its query, which may hold part of a prompt.
                 {"path", request.target.substr(0, std::min(request.target.find('?'), kLongestShown))},
                 {"status", status},
                 {"bytes", bytes},
                 {"seconds", seconds}});
    }

    const ServeOptions& options_;
    Numbers numbers_;
    Models models_;
    Jobs jobs_;
    http::Access access_;
    App app_;
    Router router_;
    http::Server server_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

int serve(const ServeOptions& options) {
    check_reach(options);
    const Signals signals;  // before there are other threads
    return Service(options).run(signals);
}

}  // namespace gass::server
