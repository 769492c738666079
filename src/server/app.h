#pragma once

#include "server/call.h"
#include "server/jobs.h"
#include "server/models.h"
#include "server/numbers.h"
#include "server/options.h"
#include "server/router.h"
#include "server/wish.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gass::server {

/// What routes work with. It outlives them.
struct App {
    const ServeOptions& options;
    Jobs& jobs;
    Models& models;
    Numbers& numbers;
    std::function<Numbers::Standing()> standing;
    std::function<bool()> is_loading;
    std::function<void(std::function<void()>)> aside;  ///< does what takes time, on another thread
};

/// Plans what is wished for, with its seeds, and queues it. `attached`: it is of no use without this call.
/// Throws gass::Error.
Job submit(const App& app, const Call& call, const Wish& wish, bool attached);

/// Calls `answer` with the job once it is over; cancels it if the client goes away before.
void answer_when_over(const App& app, const std::shared_ptr<Call>& call, const Job& job,
                      std::function<void(const Job& job)> answer);

/// The caller's job of this address; a refusal is given if there is none.
std::optional<Job> job_of(const App& app, const Call& call);

/// A whole number from 0 on; none for anything else.
std::optional<std::size_t> index_of(std::string_view text);

// The routes, by what they are for.
void add_about_routes(Router& router, const App& app);
void add_page_routes(Router& router);
void add_job_routes(Router& router, const App& app);
void add_picture_routes(Router& router, const App& app);
void add_openai_routes(Router& router, const App& app);
void add_sdapi_routes(Router& router, const App& app);

}  // namespace gass::server
