#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "core/wording.h"
#include "engine.h"
#include "engine/given_pictures.h"
#include "engine/plan_parts.h"
#include "engine/request.h"
#include "explain/figure.h"
#include "generation_events.h"
#include "guidance/dial.h"
#include "guidance/registry.h"
#include "interrupt.h"
#include "io/file.h"
#include "io/file_set.h"
#include "io/png.h"
#include "io/set_folder.h"
#include "output.h"
#include "plan_line.h"
#include "progress.h"
#include "prompts.h"
#include "record/record_file.h"
#include "record/record_json.h"
#include "seeds.h"
#include "sets/make_sets.h"
#include "sheet/sheet.h"

namespace gass::cli {
namespace {

namespace fs = std::filesystem;

/// What --like, --extend and vary take of a set, beside its settings.
struct Likeness {
    Record record;
    std::string prompt;               // the picture's own, where the set's has choices
    std::vector<std::string> kept{};  // pictures of the set that is extended
};

/// The pictures that stay, all of a set unless some are named.
std::vector<std::string> kept_pictures(const GenerateOptions& options) {
    std::vector<std::string> pictures;
    for (const fs::path& file : recorded_pictures(group_file_of(*options.extend).parent_path()))
        pictures.push_back(fs::absolute(file).lexically_normal().string());
    if (!options.keep) return pictures;
    std::vector<std::string> kept;
    for (const std::uint64_t index : parse_seeds(*options.keep, "--keep")) {
        if (index >= pictures.size())
            fail(ErrorCode::usage, "--keep", "the set has {}, numbered from 0; got {}",
                 counted(pictures.size(), "image"), index);
        kept.push_back(pictures[index]);
    }
    return kept;
}

std::optional<Likeness> likeness_of(const GenerateOptions& options) {
    if (options.keep && !options.extend) fail(ErrorCode::usage, "--keep", "which set? --extend is missing");
    if (options.extend) {
        if (options.like) fail(ErrorCode::usage, "--extend", "not together with --like");
        Record record = read_set_record(*options.extend);
        return Likeness{record, record.prompt, kept_pictures(options)};
    }
    if (!options.like) return std::nullopt;
    if (!options.varies) {
        Record record = read_set_record(*options.like);
        return Likeness{record, record.prompt};
    }
    settle_file_set(fs::path(*options.like).parent_path());
    if (!carries_record(*options.like)) return std::nullopt;  // a picture from elsewhere
    RecordedPictureFile picture = read_picture_record(*options.like);
    return Likeness{std::move(picture.record), std::move(picture.prompt)};
}

/// The settings of a set that another is to be like: where it was made and how fast is none of them. What the
/// method's knobs stand for may be said anew, by a strength or by what the images begin with. Variations
/// begin with a picture, not with a method's noise.
Json settings_of(const Likeness& like, const CommandLine& line, const GenerateOptions& options) {
    Json settings = to_json(like.record.settings);
    for (const char* key : {"device", "dtype", "threads", "max_batch", "offload_to_cpu"}) settings.erase(key);
    const bool is_turned =
        line.says("strength") || !options.target.empty() || options.variation_seed || options.init_image;
    if (options.varies) {
        settings["method"] = "none";
        for (const char* key : {"images", "vary", "guide"}) settings.erase(key);
    } else if (is_turned && settings.contains("method")) {
        settings["method"] = without_dialled(settings["method"].get<std::string>());
    }
    if (options.extend) {
        // What the set was made with may not know how to keep away from it; the usual method does.
        if (!Methods(settings.value("method", "gass")).keep_away()) settings.erase("method");
        const auto images = static_cast<std::int64_t>(like.record.settings.images.value_or(0));
        if (options.keep && std::ssize(like.kept) == images && !line.says("images"))
            fail(ErrorCode::usage, "--keep", "all images of the set stay; -n says how many more to make");
        if (options.keep && std::ssize(like.kept) < images)
            settings["images"] = images - std::ssize(like.kept);
    }
    return settings;
}

/// The seeds, as the set started: variations of one image have the same seed, however many they are.
void take_seeds(const Record& record, Request& request) {
    request.variation = record.variation;
    const bool is_one =
        std::ranges::all_of(record.seeds, [&](std::uint64_t seed) { return seed == record.seeds.front(); });
    if (record.variation && is_one) {
        request.seed = static_cast<std::int64_t>(record.seeds.front());
        return;
    }
    const auto images = static_cast<std::size_t>(request.images.value());
    request.seeds = seeds_for(record.seeds, std::max(images, record.seeds.size()));
    request.seeds_go_on = true;
}

void take_over(const Likeness& like, const CommandLine& line, const GenerateOptions& options,
               Request& request) {
    const Record& record = like.record;
    if (options.varies || options.extend) {
        // Seeds of the set itself would lead back to its pictures.
        if (!line.says("seed"))
            request.seed = static_cast<std::int64_t>(*std::ranges::max_element(record.seeds) + 1);
        if (options.varies) return;
    } else if (!line.says("seed")) {
        take_seeds(record, request);
    }
    Record pictures = record;
    if (line.says("shield")) pictures.shield.clear();
    if (options.init_image) pictures.start_image = std::nullopt;
    check_recorded_pictures(pictures, options.extend ? *options.extend : *options.like);
    pictures.shield.insert(pictures.shield.end(), like.kept.begin(), like.kept.end());
    request.start_image = pictures.start_image;
    if (!line.says("shield")) request.shield = std::nullopt;
    request.shield_files = pictures.shield;
    if (!line.says("method")) return;
    // A method of the user's own need not take what the picture's took.
    const Request fitting = with_method(request, *request.method);
    if (!line.says("vary")) request.vary = fitting.vary;
    request.shield_files = fitting.shield_files;
}

Request request_of(const CommandLine& line, const Settings& settings, const GenerateOptions& options,
                   const std::optional<Likeness>& like) {
    Request request = request_from(settings);
    if (like) take_over(*like, line, options, request);
    if ((like || options.varies) && !line.says("method")) {
        // The environment's dials are for the environment's method.
        for (auto [key, dial] :
             {std::pair{"strength", &request.strength}, {"dep", &request.dep}, {"ind", &request.ind}}) {
            if (!line.says(key)) *dial = std::nullopt;
        }
        if (!like) request.method = "none";
    }
    if (options.seeds) {
        request.seeds = parse_seeds(*options.seeds);
        request.seeds_go_on = false;
        request.variation = std::nullopt;
        if (!line.has_flag("images")) request.images = std::nullopt;
    }
    if (options.variation_strength && !options.variation_seed)
        fail(ErrorCode::usage, "--variation-strength", "needs --variation-seed, the seed to vary towards");
    if (options.variation_seed) {
        if (*options.variation_seed < 0 || *options.variation_seed > static_cast<std::int64_t>(kMaxSeed))
            fail(ErrorCode::usage, "--variation-seed", "expected 0 to {}, got {}", kMaxSeed,
                 *options.variation_seed);
        request.variation = {static_cast<std::uint64_t>(*options.variation_seed),
                             options.variation_strength.value_or(0.5)};
    }
    if (!options.target.empty()) {
        request.target = Target::parse(options.target);
        // One that a file or variable sets for good is no wish for this set.
        if (!line.has_flag("strength")) request.strength = std::nullopt;
    }
    if (options.init_image) request.start_image = {.file = *options.init_image, .strength = 0.6};
    if (options.denoise) {
        if (!request.start_image)
            fail(ErrorCode::usage, "--denoise", "which picture? --init-image is missing");
        request.start_image->strength = *options.denoise;
    }
    return request;
}

void check_preview(const GenerateOptions& options) {
    if (options.preview != "none" && options.preview != "vae")
        fail(ErrorCode::usage, "--preview", "expected none or vae, got {}", in_quotes(options.preview));
    if (options.preview_interval < 1)
        fail(ErrorCode::usage, "--preview-interval", "expected 1 or more, got {}", options.preview_interval);
    if (options.preview_path.empty()) return;
    const fs::path folder = fs::absolute(options.preview_path).parent_path();
    std::error_code error;
    if (!fs::is_directory(folder, error))
        fail(ErrorCode::usage, "--preview-path", "there is no folder {}", in_quotes(folder.string()));
    check_preview_place(options.preview_path, "--preview-path");
}

/// The set as it looks now, as one PNG that a viewer can watch.
class Preview {
  public:
    Preview(const GenerateOptions& options, const fs::path& folder, const std::string& prompt)
        : path_(options.preview_path.empty() ? folder / kPreviewFile : fs::path(options.preview_path)),
          remove_(options.preview_path.empty()),
          prompt_(prompt) {
        if (options.preview != "none") check_preview_place(path_, "--preview-path");
    }
    ~Preview() {
        if (remove_) remove_preview(path_);
    }
    Preview(const Preview&) = delete;
    Preview& operator=(const Preview&) = delete;

    void show(const std::vector<Image>& images, std::size_t step, std::size_t steps) {
        std::vector<SheetCell> cells;
        for (const Image& image : images) cells.push_back({&image, ""});
        const Image sheet = draw_sheet({.title = prompt_,
                                        .subtitle = fmt::format("after step {} of {}", step, steps),
                                        .rows = arrange(std::move(cells))});
        write_preview(path_, sheet);
    }

  private:
    fs::path path_;
    bool remove_;
    std::string prompt_;
};

/// What came of --target.
std::string target_line(const TargetReached& target) {
    return fmt::format("  {} {:.4g} {} {:.4g}, plain has {:.4g}: strength {:.3g}, found with {}\n",
                       target.metric, target.reached, target.met ? "meets" : "is as near as it gets to",
                       target.wanted, target.plain, target.strength, counted(target.sets, "set"));
}

std::string summary(const fs::path& folder, const Group& group, double seconds) {
    std::string text = fmt::format("{}: {}, {} and {} in {:.1f} s (denoise {:.1f}, decode {:.1f})\n",
                                   folder.string(), counted(group.images.size(), "image"), kSheetFile,
                                   kPageFile, seconds, group.timings.denoise, group.timings.decode);
    if (!group.spread) return text;
    if (group.images.size() > 1) text += fmt::format("  {}\n", explain::spread_line(*group.spread));
    if (group.spread->target) text += target_line(*group.spread->target);
    return text;
}

/// What is shown while a set is made.
struct Shown {
    Shown(ProgressMode mode, std::string label, const GenerateOptions& options, const fs::path& folder,
          const std::string& prompt)
        : progress(mode, std::move(label)), preview(options, folder, prompt) {}

    Progress progress;
    Preview preview;
    std::size_t steps = 0;
};

Events events_of(Shown& shown, const GenerateOptions& options) {
    Events events = events_for(shown.progress);
    if (options.preview != "vae") return events;
    events.progress = [&shown, say = std::move(events.progress)](std::string_view phase, std::size_t done,
                                                                 std::size_t total) {
        shown.steps = total;
        say(phase, done, total);
    };
    events.preview = [&shown](const std::vector<Image>& images, std::size_t step) {
        shown.preview.show(images, step, shown.steps);
    };
    events.preview_interval = options.preview_interval;
    return events;
}

/// Makes the sets of an order and shows them; the result is the exit status.
int make_and_show(const Engine& engine, const SetsOrder& order, const Settings& settings,
                  const GenerateOptions& options) {
    Json groups = Json::array();
    std::unique_ptr<Shown> shown_now;
    const std::size_t count = order.prompts.size();
    SetsEvents events;
    events.should_stop = is_interrupted;
    events.watch = [&](std::size_t number, const fs::path& folder) {
        shown_now = std::make_unique<Shown>(progress_mode(settings.text("progress")),
                                            count == 1 ? "" : fmt::format("{}/{}", number + 1, count),
                                            options, folder, order.prompts[number].text);
        return events_of(*shown_now, options);
    };
    events.ended = [&] { shown_now.reset(); };
    events.made = [&](const MadeSet& set) {
        if (!options.json)
            write_stdout(summary(set.folder, set.group, set.json.at("timings").at("total").get<double>()));
        Json json{{"folder", set.folder.string()}};
        json.update(set.json);
        groups.push_back(std::move(json));
    };
    events.failed = [](const ListedPrompt& prompt, const Error& error) {
        log::error("[{}] {}", prompt.where, error.what());
    };
    const std::size_t failed = make_sets(engine, order, events);
    if (options.json) write_json("generate/1", {{"groups", groups}});
    if (is_interrupted()) {
        log::error("interrupted; {} of {} made", groups.size(), counted(count, "set"));
        return exit_status(ErrorCode::interrupted);
    }
    return failed == 0 ? 0 : exit_status(ErrorCode::partial);
}

/// What --dry-run shows: a line for each prompt or, as JSON, plans that --plan takes.
int show_plans(const Engine& engine, const SetsOrder& order, bool as_json) {
    Json plans = Json::array();
    std::string text;
    for (const ListedPrompt& prompt : order.prompts) {
        const Plan plan = plan_of(engine, order, prompt);
        const PlanCost cost = engine.cost(plan);
        if (as_json) {
            Json json = parse_json(engine.save(plan), "plan");
            json["cost"] = cost_json(cost);
            plans.push_back(std::move(json));
        } else {
            text += fmt::format("{}: {}\n", in_quotes(prompt.text), plan_line(plan, cost));
        }
    }
    if (as_json)
        write_json("plans/1", {{"plans", std::move(plans)}});
    else
        write_stdout(text);
    return 0;
}

/// The one plan of a file, and the model that it is for.
struct PlanFile {
    Json json;
    Record record;
};

PlanFile read_plan_file(const std::string& file) {
    const Json json = parse_json(read_text_file(file), file);
    JsonReader reader(json, file);
    const Json& plans = reader.at("plans");
    if (!plans.is_array() || plans.size() != 1)
        fail(ErrorCode::model_invalid, file, "expected one plan; plan one prompt at a time");
    return {plans.front(), read_record(plans.front(), file)};
}

/// Makes what a plan says. Its settings stand in it; flags have no say but for where the set goes.
int make_planned(const Settings& settings, const GenerateOptions& options) {
    if (options.prompt || !options.prompt_file.empty())
        fail(ErrorCode::usage, "--plan", "a plan has its own prompt");
    check_preview(options);
    const PlanFile file = read_plan_file(options.plan);
    std::optional<OutputFolder> output;
    if (!options.output.empty()) output.emplace(options.output);
    catch_interrupt();
    const Engine engine(engine_options_from(file.record));
    const Plan plan = engine.saved_plan(file.json.dump());
    SetsOrder order{.prompts = {{plan.prompt(), options.plan}},
                    .request = plan.parts().request,
                    .pictures = PictureOutput::from(settings)};
    order.pictures.metadata = !options.disable_image_metadata;
    if (output) order.output = &*output;
    if (options.dry_run) return show_plans(engine, order, options.json);
    return make_and_show(engine, order, settings, options);
}

/// So many sets of each prompt, one after the other.
std::vector<ListedPrompt> several_of_each(const std::vector<ListedPrompt>& prompts,
                                          const GenerateOptions& options) {
    constexpr std::int64_t kMostSets = 10'000;
    if (options.sets < 1 || options.sets > kMostSets)
        fail(ErrorCode::usage, "--sets", "expected 1 to {}, got {}", kMostSets, options.sets);
    if (options.memory && options.sets == 1)
        fail(ErrorCode::usage, "--memory", "there is one set of a prompt; --sets makes several");
    if (options.sets > 1 && (options.seeds || options.variation_seed))
        fail(ErrorCode::usage, "--sets", "seeds go on from set to set, so they cannot be listed");
    std::vector<ListedPrompt> sets;
    for (const ListedPrompt& prompt : prompts) {
        for (std::size_t nth = 0; nth < static_cast<std::size_t>(options.sets); ++nth) {
            sets.push_back(prompt);
            sets.back().nth = nth;
        }
    }
    return sets;
}

}  // namespace

int generate_images(CommandLine& line, const GenerateOptions& options) {
    const std::optional<Likeness> like = likeness_of(options);
    const Settings& settings = like ? line.resolve_like(settings_of(*like, line, options),
                                                        options.extend ? *options.extend : *options.like)
                                    : line.resolve();
    if (line.print_config()) return 0;
    if (!options.plan.empty()) return make_planned(settings, options);
    std::optional<std::string> prompt = options.prompt;
    if (!prompt && like && options.prompt_file.empty()) prompt = like->prompt;
    const std::vector<ListedPrompt> prompts =
        read_prompts(prompt, options.prompt_file, settings.text("negative_prompt"));
    SetsOrder order{.prompts = several_of_each(prompts, options),
                    .request = request_of(line, settings, options, like),
                    .remembers = options.memory,
                    .pictures = PictureOutput::from(settings)};
    order.pictures.metadata = !options.disable_image_metadata;
    check_preview(options);
    std::optional<OutputFolder> output;
    if (!options.output.empty()) order.output = &output.emplace(options.output);

    catch_interrupt();
    const Engine engine(engine_options_from(settings));
    if (options.dry_run) return show_plans(engine, order, options.json);
    return make_and_show(engine, order, settings, options);
}

}  // namespace gass::cli
