#include "server/worker.h"

#include "core/fail.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "engine/group_files.h"
#include "engine/output_folder.h"
#include "server/journal.h"
#include "server/result.h"

#include <gass/group.h>

#include <algorithm>
#include <new>
#include <utility>

namespace gass::server {
namespace {

namespace fs = std::filesystem;

constexpr int kPreviewQuality = 80;
constexpr std::int64_t kMostPreviews = 8;

/// The error of a job, as it is told.
Json error_json(std::string_view code, std::string_view where, std::string_view message) {
    return {{"code", code}, {"where", where}, {"message", message}};
}

Preview preview_of(const Image& image, std::size_t step) {
    static const PictureOutput kJpeg{
        .format = &picture_format("jpeg"), .quality = kPreviewQuality, .metadata = false};
    const EncodedPicture picture = encode_picture(image, kJpeg, {});
    return {.bytes = {reinterpret_cast<const char*>(picture.bytes.data()), picture.bytes.size()},
            .type = "image/jpeg",
            .step = step};
}

/// Tells a job's listeners how far it is.
class Watch {
  public:
    Watch(LiveJob& live, const Plan& plan) : live_(live), steps_(plan.steps()) { say("text", 0, steps_); }

    Events events(std::function<bool()> should_stop) {
        Events events;
        events.should_stop = std::move(should_stop);
        events.progress = [this](std::string_view phase, std::size_t done, std::size_t total) {
            say(phase == "denoise" ? "sampling" : "decoding", static_cast<std::int64_t>(done),
                static_cast<std::int64_t>(total));
        };
        if (!live_.previews) return events;
        events.preview_interval = std::max<std::int64_t>(1, (steps_ + kMostPreviews - 1) / kMostPreviews);
        events.preview = [this](const std::vector<Image>& images, std::size_t step) {
            std::vector<Preview> previews;
            for (const Image& image : images) previews.push_back(preview_of(image, step));
            live_.set_previews(std::move(previews));
        };
        return events;
    }

    void say(const std::string& phase, std::int64_t step, std::int64_t steps) {
        JobProgress progress{.phase = phase, .step = step, .steps = steps};
        if (phase == "sampling" && step == 0) sampling_.emplace();
        // Steps are much alike; what follows them is short.
        if (phase == "sampling" && step > 0 && sampling_)
            progress.seconds_left =
                sampling_->seconds() / static_cast<double>(step) * static_cast<double>(steps - step);
        live_.set_progress(progress);
    }

  private:
    LiveJob& live_;
    std::int64_t steps_;
    std::optional<Stopwatch> sampling_;
};

void tell_statistics(LiveJob& live, const Group& group) {
    if (!group.spread) return;
    const Spread& spread = *group.spread;
    const auto shown = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
    live.events.add("statistics", {{"step", group.record.settings.steps.value_or(0)},
                                   {"spp", shown(spread.spp)},
                                   {"vendi", shown(spread.vendi)},
                                   {"pairwise", shown(spread.pairwise)},
                                   {"clip_score", shown(spread.clip_score)}});
}

}  // namespace

Worker::Worker(Jobs& jobs, Models& models, Numbers& numbers, std::size_t device, double job_seconds)
    : jobs_(jobs),
      models_(models),
      numbers_(numbers),
      device_(device),
      job_seconds_(job_seconds),
      thread_([this] { run(); }) {
}

void Worker::join() {
    if (thread_.joinable()) thread_.join();
}

void Worker::run() {
    load_default();
    while (const std::shared_ptr<LiveJob> live = jobs_.take()) {
        const Stopwatch watch;
        make(*live);
        numbers_.worked(models_.device(device_), watch.seconds());
    }
}

void Worker::load_default() {
    try {
        const std::string& name = models_.default_name();
        const PlanCost cost = [&] {
            const auto engine = models_.open(name);
            return engine->cost(engine->plan(Request{.prompt = "a", .measure = false}));
        }();
        models_.load(device_, name, cost.weight_bytes);
        is_ready_ = true;
    } catch (const std::exception& error) {
        journal(Severity::error, "loading failed", {{"error", error.what()}});
        has_failed_ = true;
    }
}

void Worker::make(LiveJob& live) {
    try {
        Json result = made(live);
        if (!jobs_.complete(live, std::move(result))) {
            std::error_code ignored;
            fs::remove_all(jobs_.folder_of(live.id), ignored);  // nobody wants it any more
        }
        return;
    } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted && is_giving_up_ && !live.is_stopped)
            return jobs_.put_back(live);
        const bool is_late = error.code() == ErrorCode::interrupted && !live.is_stopped;
        if (is_late)
            jobs_.fail(live, error_json("failure", "time", fmt::format("given up after {} s", job_seconds_)));
        else
            // Where the server keeps its sets is nobody's business.
            jobs_.fail(live, error_json(to_string(error.code()), error.where(),
                                        with_replaced(error.message(), jobs_.folder_of(live.id).string(),
                                                      "the set's folder")));
    } catch (const std::bad_alloc&) {
        jobs_.fail(live, error_json("out_of_memory", "memory", "memory ran out"));
    } catch (const std::exception& error) {
        // Whatever broke, the server goes on.
        jobs_.fail(live, error_json("failure", "engine", error.what()));
    }
    std::error_code ignored;
    fs::remove_all(jobs_.folder_of(live.id), ignored);
}

Json Worker::made(LiveJob& live) {
    const fs::path folder = jobs_.folder_of(live.id);
    const std::string saved = live.plan.dump();
    const PlanCost cost = [&] {
        const auto engine = models_.open(live.model);
        return engine->cost(engine->saved_plan(saved));
    }();
    // An earlier server was ended between the set and the note that it is there.
    if (const Json group = finished_group(folder); !group.is_null())
        return result_of(group, live.id, cost.evaluations);
    const OutputFolder output(folder);
    const Group group = [&] {
        try {
            return generated(live, saved, cost.weight_bytes);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::out_of_memory) throw;
            models_.release_others(device_, live.model);
            return generated(live, saved, cost.weight_bytes);
        }
    }();
    live.set_progress({.phase = "saving"});
    tell_statistics(live, group);
    numbers_.made(live.model, group.images.size());
    return result_of(write_group(output.path(), group, PictureOutput()), live.id, cost.evaluations);
}

Group Worker::generated(LiveJob& live, const std::string& saved, std::uint64_t weight_bytes) {
    live.set_progress({.phase = "loading"});
    const auto engine = models_.load(device_, live.model, weight_bytes);
    const Plan plan = engine->saved_plan(saved);
    Watch watch(live, plan);
    const Stopwatch time;
    Group group = engine->generate(plan, watch.events([&] {
        return live.is_stopped || is_giving_up_ || (job_seconds_ > 0 && time.seconds() > job_seconds_);
    }));
    if (!group.complete) fail(ErrorCode::interrupted, "sampling", "stopped");
    return group;
}

}  // namespace gass::server
