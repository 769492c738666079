#include "core/fail.h"
#include "core/log.h"
#include "core/parse_number.h"
#include "core/quote.h"
#include "engine.h"
#include "engine/group_files.h"
#include "engine/output_folder.h"
#include "generation_events.h"
#include "interrupt.h"
#include "io/file.h"
#include "io/png.h"
#include "output.h"
#include "progress.h"
#include "sheet/sheet.h"

#include <cmath>
#include <iostream>
#include <iterator>
#include <random>
#include <set>

namespace gass::cli {
namespace {

namespace fs = std::filesystem;

struct Prompt {
    std::string text;
    std::string where;  // for complaints
};

std::string read_stdin() {
    std::string text;
    constexpr std::size_t kMost = std::size_t{16} << 20U;
    for (std::istreambuf_iterator<char> it(std::cin), end; it != end; ++it) {
        text += *it;
        if (text.size() > kMost)
            fail(ErrorCode::usage, "--prompt-file", "more than {} bytes on stdin", kMost);
    }
    return text;
}

/// One prompt from the command line, or those of a file, checked before anything is done with them.
std::vector<Prompt> read_prompts(const GenerateOptions& options) {
    std::vector<Prompt> prompts;
    if (options.prompt && !options.prompt_file.empty())
        fail(ErrorCode::usage, "--prompt", "give a prompt or a --prompt-file, not both");
    if (options.prompt) {
        prompts.push_back({*options.prompt, "--prompt"});
    } else if (!options.prompt_file.empty()) {
        const std::string text =
            options.prompt_file == "-" ? read_stdin() : read_text_file(options.prompt_file);
        constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
        std::size_t number = 1;
        for (std::size_t start = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
             start < text.size(); ++number) {
            const std::size_t end = std::min(text.find('\n', start), text.size());
            std::string line = text.substr(start, end - start);
            if (line.ends_with('\r')) line.pop_back();
            if (line.find_first_not_of(" \t") != std::string::npos)
                prompts.push_back({std::move(line), fmt::format("--prompt-file, line {}", number)});
            start = end + 1;
        }
        if (prompts.empty())
            fail(ErrorCode::usage, "--prompt-file", "{} holds no prompt", in_quotes(options.prompt_file));
    } else {
        fail(ErrorCode::usage, "--prompt", "say what the images should show: -p \"a red car\"");
    }
    for (const Prompt& prompt : prompts) check_prompt(prompt.text, prompt.where);
    return prompts;
}

std::vector<std::uint64_t> parse_seeds(std::string_view list) {
    std::vector<std::uint64_t> seeds;
    while (true) {
        const std::string_view text = list.substr(0, list.find(','));
        const auto seed = parse_number<std::uint64_t>(text);
        if (!seed || *seed > kMaxSeed) {
            fail(ErrorCode::usage, "--seeds",
                 "expected whole numbers from 0 to {}, separated by commas, got {}", kMaxSeed,
                 in_quotes(text));
        }
        seeds.push_back(*seed);
        if (text.size() == list.size()) break;
        list.remove_prefix(text.size() + 1);
    }
    if (std::set(seeds.begin(), seeds.end()).size() != seeds.size())
        fail(ErrorCode::usage, "--seeds", "a seed stands there twice: its images would be the same");
    return seeds;
}

/// The images' seeds, and what their variation starts from.
void choose_seeds(Request& request, const CommandLine& line, const Settings& settings,
                  const GenerateOptions& options) {
    const auto images = settings.find("images")->get<std::size_t>();
    if (options.seeds) {
        request.seeds = parse_seeds(*options.seeds);
        if (line.has_flag("images") && images != request.seeds.size()) {
            fail(ErrorCode::usage, "--seeds", "{} seeds for {} images", request.seeds.size(), images);
        }
        const double most = find_setting("images")->maximum;
        if (static_cast<double>(request.seeds.size()) > most)
            fail(ErrorCode::usage, "--seeds", "at most {} seeds, got {}", most, request.seeds.size());
    } else {
        auto first = settings.find("seed")->get<std::int64_t>();
        if (first < 0) first = std::random_device()() % (kMaxSeed - images);
        request.seeds = consecutive_seeds(static_cast<std::uint64_t>(first), images);
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
}

/// The set as it looks now, as one PNG that a viewer can watch.
class Preview {
  public:
    Preview(const GenerateOptions& options, const fs::path& folder, const Request& request)
        : path_(options.preview_path.empty() ? folder / "preview.png" : fs::path(options.preview_path)),
          remove_(options.preview_path.empty()),
          request_(request) {}
    ~Preview() {
        std::error_code ignored;
        if (remove_ && shown_) fs::remove(path_, ignored);
    }
    Preview(const Preview&) = delete;
    Preview& operator=(const Preview&) = delete;

    void show(const std::vector<Image>& images, std::size_t step) {
        std::vector<SheetCell> cells;
        for (const Image& image : images) cells.push_back({&image, ""});
        const Image sheet = draw_sheet({.title = request_.prompt,
                                        .subtitle = fmt::format("after step {} of {}", step, *request_.steps),
                                        .rows = arrange(std::move(cells))});
        write_png(path_, sheet, {});
        shown_ = true;
    }

  private:
    fs::path path_;
    bool remove_;
    bool shown_ = false;
    const Request& request_;
};

std::string summary(const fs::path& folder, const Json& json) {
    const Json& times = json.at("timings");
    const auto seconds = [&](const char* part) { return times.at(part).get<double>(); };
    const std::size_t count = json.at("images").size();
    return fmt::format("{}: {} image{} and sheet.png in {:.1f} s (denoise {:.1f}, decode {:.1f})\n",
                       folder.string(), count, count == 1 ? "" : "s", seconds("total"), seconds("denoise"),
                       seconds("decode"));
}

/// Generates one request and writes it; the result is what --json shows.
Json make_group(const Engine& engine, const Request& request, const OutputFolder& folder,
                const GenerateOptions& options, Progress& progress, double load_seconds) {
    check_group_folder(folder.path(), request.seeds.size());
    Preview preview(options, folder.path(), request);
    Events events = watched_by(progress);
    if (options.preview == "vae") {
        events.preview = [&](const std::vector<Image>& images, std::size_t step) {
            preview.show(images, step);
        };
        events.preview_interval = options.preview_interval;
    }
    Group group = engine.generate(request, events);
    group.timings.load = load_seconds;
    progress.finish();
    Json json =
        write_group(folder.path(), group, record_of(engine, request, group), !options.disable_image_metadata);
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
    const std::vector<Prompt> prompts = read_prompts(options);
    check_preview(options);
    Request request = request_from(settings);
    choose_seeds(request, line, settings, options);
    if (!options.output.empty()) OutputFolder(options.output);  // throws if it cannot be one

    catch_interrupt();
    Engine engine(engine_options_from(settings));
    engine.complete(request);
    engine.load();

    const std::string parent = options.output.empty() ? "gass-out" : options.output;
    Json groups = Json::array();
    std::size_t failed = 0;
    for (std::size_t i = 0; i < prompts.size() && !is_interrupted(); ++i) {
        request.prompt = prompts[i].text;
        const std::string slug = slug_of(request.prompt);
        const OutputFolder folder = options.output.empty() ? OutputFolder::numbered(parent, slug)
                                    : prompts.size() == 1
                                        ? OutputFolder(parent)
                                        : OutputFolder(fs::path(parent) / fmt::format("{:04}-{}", i, slug));
        Progress progress(progress_mode(settings.text("progress")),
                          prompts.size() == 1 ? "" : fmt::format("{}/{}", i + 1, prompts.size()));
        try {
            groups.push_back(
                make_group(engine, request, folder, options, progress, i == 0 ? engine.load_seconds() : 0.0));
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
