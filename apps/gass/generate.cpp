#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "engine.h"
#include "engine/group_files.h"
#include "engine/output_folder.h"
#include "engine/target.h"
#include "generation_events.h"
#include "guidance/registry.h"
#include "interrupt.h"
#include "io/file.h"
#include "io/png.h"
#include "output.h"
#include "progress.h"
#include "prompts.h"
#include "seeds.h"
#include "sheet/sheet.h"

#include <algorithm>

namespace gass::cli {
namespace {

namespace fs = std::filesystem;

/// The seeds that the user lists: the images', or more of them for a method that selects.
void take_listed_seeds(Request& request, const CommandLine& line, std::string_view list, bool selects) {
    request.seeds = parse_seeds(list);
    const auto count = static_cast<std::int64_t>(request.seeds.size());
    if (!line.has_flag("images")) request.images = count;
    if (count < request.images || (count > request.images && !selects))
        fail(ErrorCode::usage, "--seeds", "{} seeds for {} images", count, request.images);
    const auto most = static_cast<std::int64_t>(find_setting("images")->maximum);
    if (request.images > most) fail(ErrorCode::usage, "--seeds", "at most {} seeds, got {}", most, count);
    if (request.seeds.size() > kMaxSeeds)
        fail(ErrorCode::usage, "--seeds", "at most {} seeds, got {}", kMaxSeeds, count);
}

/// The seeds of the images or candidates, and what their variation starts from.
void choose_seeds(Request& request, const CommandLine& line, const Settings& settings,
                  const GenerateOptions& options) {
    const auto starts = static_cast<std::size_t>(candidates_for(request.method, request.images));
    if (options.seeds) {
        const bool selects = starts > static_cast<std::size_t>(request.images);
        take_listed_seeds(request, line, *options.seeds, selects);
    } else {
        if (starts > kMaxSeeds) {
            fail(ErrorCode::usage, "--method", "{} images would start from {} seeds; at most {}",
                 request.images, starts, kMaxSeeds);
        }
        const auto asked = settings.find("seed")->get<std::int64_t>();
        request.seeds = consecutive_seeds(first_seed(asked, starts), starts);
    }
    const double strength = options.variation_strength.value_or(0.5);
    if (!(strength >= 0.0 && strength <= 1.0))
        fail(ErrorCode::usage, "--variation-strength", "expected 0 to 1, got {}", strength);
    if (!options.variation_seed) {
        if (options.variation_strength)
            fail(ErrorCode::usage, "--variation-strength", "towards which seed? --variation-seed is missing");
        return;
    }
    const std::int64_t most = static_cast<std::int64_t>(kMaxSeed - request.seeds.size());
    if (*options.variation_seed < 0 || *options.variation_seed > most)
        fail(ErrorCode::usage, "--variation-seed", "expected 0 to {}, got {}", most, *options.variation_seed);
    request.variation = {static_cast<std::uint64_t>(*options.variation_seed), strength};
    // As in A1111: variations of one image, unless the seeds are listed.
    if (strength > 0 && !options.seeds)
        std::fill(request.seeds.begin(), request.seeds.end(), request.seeds.front());
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
    Preview(const GenerateOptions& options, const fs::path& folder, const Request& request)
        : path_(options.preview_path.empty() ? folder / kPreviewFile : fs::path(options.preview_path)),
          remove_(options.preview_path.empty()),
          request_(request) {
        if (options.preview != "none") check_preview_place(path_, "--preview-path");
    }
    ~Preview() {
        if (remove_) remove_preview(path_);
    }
    Preview(const Preview&) = delete;
    Preview& operator=(const Preview&) = delete;

    void show(const std::vector<Image>& images, std::size_t step) {
        std::vector<SheetCell> cells;
        for (const Image& image : images) cells.push_back({&image, ""});
        const Image sheet = draw_sheet({.title = request_.prompt,
                                        .subtitle = fmt::format("after step {} of {}", step, *request_.steps),
                                        .rows = arrange(std::move(cells))});
        write_preview(path_, sheet);
    }

  private:
    fs::path path_;
    bool remove_;
    const Request& request_;
};

/// What came of --target.
std::string target_line(const Json& json) {
    if (!json.contains("spread") || !json.at("spread").contains("target")) return {};
    const Json& target = json.at("spread").at("target");
    const auto number = [&](const char* key) { return target.at(key).get<double>(); };
    return fmt::format("  {} {:.4g} {} {:.4g}, plain has {:.4g}: strength {:.3g}, found with {} sets\n",
                       target.at("metric").get<std::string>(), number("reached"),
                       target.at("met").get<bool>() ? "meets" : "is as near as it gets to", number("wanted"),
                       number("plain"), number("strength"), target.at("sets").get<int>());
}

std::string summary(const fs::path& folder, const Json& json) {
    const Json& times = json.at("timings");
    const auto seconds = [&](const char* part) { return times.at(part).get<double>(); };
    const std::size_t count = json.at("images").size();
    return fmt::format("{}: {} image{} and sheet.png in {:.1f} s (denoise {:.1f}, decode {:.1f})\n",
                       folder.string(), count, count == 1 ? "" : "s", seconds("total"), seconds("denoise"),
                       seconds("decode")) +
           target_line(json);
}

/// Generates one request and writes it; the result is what --json shows.
Json make_group(const Engine& engine, Request request, const std::optional<Target>& target,
                const OutputFolder& folder, const PictureOutput& output, const GenerateOptions& options,
                Progress& progress, double load_seconds) {
    check_group_folder(folder.path(), static_cast<std::size_t>(request.images), *output.format);
    Preview preview(options, folder.path(), request);
    Events events = watched_by(progress);
    if (options.preview == "vae") {
        events.preview = [&](const std::vector<Image>& images, std::size_t step) {
            preview.show(images, step);
        };
        events.preview_interval = options.preview_interval;
    }
    Group group = target ? reach_target(engine, request, *target, events) : engine.generate(request, events);
    group.timings.load = load_seconds;
    progress.finish();
    Json json = write_group(folder.path(), group, record_of(engine, request, group), output);
    Json shown = {{"folder", folder.path().string()}};
    shown.update(json);
    return shown;
}

/// Whether the other prompts of a file can be expected to work after this.
bool concerns_one_prompt(const Error& error) {
    return error.code() == ErrorCode::usage || error.code() == ErrorCode::failure;
}

}  // namespace

int generate_images(CommandLine& line, const GenerateOptions& options) {
    const Settings& settings = line.resolve();
    if (line.print_config()) return 0;
    const std::vector<Prompt> prompts = read_prompts(options.prompt, options.prompt_file);
    check_preview(options);
    std::optional<Target> target;
    if (!options.target.empty()) target = parse_target(options.target);
    Request request = request_from(settings);
    if (options.variation_seed) request.method = for_variations(request.method);
    if (target) {
        check_target(request);
        target->seeds_are_listed = options.seeds.has_value();
        request.measure = true;
    }
    std::optional<OutputFolder> output;
    if (!options.output.empty()) output.emplace(options.output);

    catch_interrupt();
    Engine engine(engine_options_from(settings));
    const std::string asked = request.method;
    request.method = engine.complete_method(asked);
    choose_seeds(request, line, settings, options);
    engine.complete(request);
    PictureOutput pictures = PictureOutput::from(settings);
    pictures.metadata = !options.disable_image_metadata;
    pictures.check_size(*request.width, *request.height);
    if (target) request.method = asked;  // each strength that is tried sets the parameters that nobody set
    engine.load();

    Json groups = Json::array();
    std::size_t failed = 0;
    for (std::size_t i = 0; i < prompts.size() && !is_interrupted(); ++i) {
        request.prompt = prompts[i].text;
        const std::string slug = slug_of(request.prompt);
        std::optional<OutputFolder> own;
        if (!output) own.emplace(OutputFolder::numbered("gass-out", slug));
        if (output && prompts.size() > 1) own.emplace(output->path() / fmt::format("{:04}-{}", i, slug));
        const OutputFolder& folder = own ? *own : *output;
        Progress progress(progress_mode(settings.text("progress")),
                          prompts.size() == 1 ? "" : fmt::format("{}/{}", i + 1, prompts.size()));
        try {
            groups.push_back(make_group(engine, request, target, folder, pictures, options, progress,
                                        i == 0 ? engine.load_seconds() : 0.0));
        } catch (const Error& error) {
            progress.finish();
            if (error.code() == ErrorCode::interrupted) break;
            if (prompts.size() == 1 || !concerns_one_prompt(error)) throw;
            log::error("[{}] {}", prompts[i].where, error.what());
            ++failed;
            continue;
        }
        if (!options.json) write_stdout(summary(folder.path(), groups.back()));
    }
    if (options.json) write_stdout(shown(Json{{"groups", groups}}));
    if (is_interrupted()) {
        log::error("interrupted; {} of {} sets are there", groups.size(), prompts.size());
        return exit_status(ErrorCode::interrupted);
    }
    return failed == 0 ? 0 : exit_status(ErrorCode::partial);
}

}  // namespace gass::cli
