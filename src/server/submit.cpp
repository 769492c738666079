#include "core/fail.h"
#include "core/text.h"
#include "server/app.h"
#include "server/journal.h"

#include <utility>

namespace gass::server {
namespace {

/// A method that chooses starts from more seeds than there are images.
constexpr std::size_t kMostStarts = 4096;

}  // namespace

Job submit(const App& app, const Call& call, const Wish& wish, bool attached) {
    const auto engine = app.models.open(wish.model.empty() ? app.models.default_name() : wish.model);
    const Plan plan = engine->plan(wish.request);
    check_limits(app.options.limits, plan.images(), plan.width(), plan.height(), plan.steps());
    if (plan.seeds().size() > kMostStarts)
        fail(ErrorCode::usage, SettingKey("method"), "{} candidates; at most {}", plan.seeds().size(),
             kMostStarts);
    Job job{.owner = call.owner(),
            .client = wish.client.empty() ? call.request().peer : wish.client,
            .request_id = call.request().id,
            .model = engine->options().model,
            .prompt = plan.prompt(),
            .attached = attached,
            .previews = wish.previews,
            .request = wish.given,
            .plan = parse_json(engine->save(plan), "plan")};
    job = app.jobs.add(std::move(job));
    journal(Severity::info, "job accepted",
            {{"job", job.id}, {"request_id", job.request_id}, {"model", job.model}});
    return job;
}

void answer_when_over(const App& app, const std::shared_ptr<Call>& call, const Job& job,
                      std::function<void(const Job& job)> answer) {
    call->exchange().when_gone(
        [&jobs = app.jobs, id = job.id, owner = job.owner] { jobs.cancel(id, owner); });
    const auto live = app.jobs.live(job.id);
    if (!live) return call->not_found("job", "job");
    const auto look = [&jobs = app.jobs, call, id = job.id, owner = job.owner, answer = std::move(answer)] {
        const std::optional<Job> now = jobs.find(id, owner);
        if (!now) return call->not_found("job", "job");
        if (!is_final(now->state)) return call->refuse(Stopping());
        answer(*now);
    };
    // Files are read for the answer, which the worker need not wait for.
    live->when_over([&app, call, look] {
        app.aside([call, look] {
            try {
                look();
            } catch (const Error& error) {
                call->refuse(error);
            }
        });
    });
}

std::optional<Job> job_of(const App& app, const Call& call) {
    std::optional<Job> job = app.jobs.find(call.part("id"), call.owner());
    if (!job) call.not_found("id", "job");
    return job;
}

std::optional<std::size_t> index_of(std::string_view text) {
    return parse_number<std::size_t>(text);
}

}  // namespace gass::server
