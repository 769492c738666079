#include "sets/make_sets.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/stopwatch.h"
#include "engine/cost.h"
#include "engine/group_files.h"
#include "engine/pace.h"
#include "engine/request.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

namespace gass {
namespace {

class SetsInOrder {
  public:
    SetsInOrder(const Engine& engine, const SetsOrder& order, const SetsEvents& events)
        : engine_(engine), order_(order), events_(events) {}

    std::size_t run() {
        // What is wrong with all of them shows before anything is loaded.
        first_ = plan_of(engine_, order_, order_.prompts.front());
        order_.pictures.check_size(first_->width(), first_->height());
        if (order_.remembers && !first_->parts().methods.keep_away())
            fail(ErrorCode::usage, SettingKey("memory"),
                 "the method {} keeps away from no pictures; gass, where it has a guide, and spell do",
                 in_quotes(first_->method_name()));
        const Stopwatch loading;
        engine_.load();
        load_seconds_ = loading.seconds();
        std::size_t failed = 0;
        for (std::size_t i = 0; i < order_.prompts.size() && !is_stopping(); ++i) {
            try {
                make(i);
            } catch (const Error& error) {
                if (events_.ended) events_.ended();
                if (error.code() == ErrorCode::interrupted) break;
                if (order_.prompts.size() == 1 || !concerns_one_item(error.code())) throw;
                if (events_.failed) events_.failed(order_.prompts[i], error);
                ++failed;
            }
        }
        return failed;
    }

  private:
    bool is_stopping() const { return events_.should_stop && events_.should_stop(); }

    Plan like_the_first(const ListedPrompt& prompt) const {
        Request request = settled_request(*first_);
        request.prompt = prompt.text;
        if (prompt.nth > 0) {
            request.seeds.clear();
            request.seed =
                static_cast<std::int64_t>(first_->seeds().front() + prompt.nth * first_->seeds().size());
        }
        if (const auto made = made_.find(prompt.text); made != made_.end()) {
            std::vector<std::string>& files = request.shield_files;
            files.insert(files.end(), made->second.begin(), made->second.end());
            if (files.size() > kMaxShield)
                files.erase(files.begin(), files.end() - static_cast<std::ptrdiff_t>(kMaxShield));
        }
        return engine_.plan(request);
    }

    void remember(const std::string& prompt, const MadeSet& set) {
        if (!order_.remembers) return;
        const std::filesystem::path folder = std::filesystem::absolute(set.folder).lexically_normal();
        for (const Json& image : set.json.at("images"))
            made_[prompt].push_back((folder / image.at("file").get<std::string>()).string());
    }

    /// The folder of a prompt's set, where it is not the whole order's.
    std::optional<OutputFolder> own_folder(std::size_t number) const {
        const std::string slug = slug_of(order_.prompts[number].text);
        if (order_.output == nullptr) return OutputFolder::numbered("gass-out", slug);
        if (order_.prompts.size() == 1) return std::nullopt;
        return std::optional<OutputFolder>(std::in_place,
                                           order_.output->path() / fmt::format("{:04}-{}", number, slug));
    }

    void make(std::size_t number) {
        const std::optional<OutputFolder> own = own_folder(number);
        MadeSet set{.number = number, .folder = own ? own->path() : order_.output->path()};
        const Plan plan = number == 0 ? *first_ : like_the_first(order_.prompts[number]);
        check_group_folder(set.folder, static_cast<std::size_t>(plan.images()), *order_.pictures.format);
        set.group = engine_.generate(plan, events_.watch ? events_.watch(number, set.folder) : Events{});
        note(plan, set.group.timings);
        if (number == 0) set.group.timings.load = load_seconds_;
        if (events_.ended) events_.ended();
        set.json = write_group(set.folder, set.group, order_.pictures);
        remember(order_.prompts[number].text, set);
        if (events_.made) events_.made(set);
    }

    /// For plans that ask how long they will take. A target makes several sets, which one is not known.
    void note(const Plan& plan, const Timings& timings) const {
        if (plan.parts().target) return;
        note_seconds(engine_.loaded(), plan.parts(), evaluations_of(engine_.loaded(), plan.parts()),
                     timings.text + timings.denoise + timings.decode);
    }

    const Engine& engine_;
    const SetsOrder& order_;
    const SetsEvents& events_;
    std::optional<Plan> first_;
    std::map<std::string, std::vector<std::string>> made_;  // pictures of each prompt, where it is remembered
    double load_seconds_ = 0.0;
};

}  // namespace

Plan plan_of(const Engine& engine, const SetsOrder& order, const ListedPrompt& prompt) {
    Request request = order.request;
    request.prompt = prompt.text;
    return engine.plan(request);
}

std::size_t make_sets(const Engine& engine, const SetsOrder& order, const SetsEvents& events) {
    return SetsInOrder(engine, order, events).run();
}

}  // namespace gass
