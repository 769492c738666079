#include "compare/comparison.h"
#include "core/fail.h"
#include "core/log.h"
#include "core/method_list.h"
#include "core/quote.h"
#include "engine.h"
#include "engine/group_files.h"
#include "engine/output_folder.h"
#include "generation_events.h"
#include "guidance/method_grid.h"
#include "guidance/registry.h"
#include "interrupt.h"
#include "io/file.h"
#include "io/png.h"
#include "output.h"
#include "progress.h"
#include "prompts.h"
#include "seeds.h"
#include "sheet/resize.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

namespace gass::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPage = "compare.html";
constexpr std::string_view kJson = "compare.json";
constexpr std::string_view kTable = "compare.csv";
constexpr std::string_view kSheet = "sheet.png";

/// The methods asked for: those of --methods, else one that a preset, file or variable names beside plain
/// guidance, else the best known.
std::string methods_of(const Settings& settings, const CompareOptions& options) {
    if (options.methods) return *options.methods;
    if (settings.origin("method") != Settings().origin("method")) return "none," + settings.text("method");
    return "none,interval,cads,pg,spell,gass";
}

/// A method as asked for, and what every prompt of it is generated with.
struct Row {
    std::string asked;
    Request request;
};

/// The rows, complete and checked before anything is generated.
std::vector<Row> rows_of(const Engine& engine, const Request& common, const std::string& list,
                         const std::string& grid) {
    std::vector<std::string> methods = split_method_list(list);
    if (!grid.empty()) methods = with_grid(methods, grid);
    constexpr std::size_t kMostRows = 64;
    if (methods.size() > kMostRows)
        fail(ErrorCode::usage, "--methods", "{} rows; at most {}", methods.size(), kMostRows);
    std::vector<Row> rows;
    for (const std::string& method : methods) {
        Row row{method, common};
        row.request.method = engine.complete_method(method);
        if (!has_method(method, "spell")) row.request.shield.clear();
        if (!has_method(method, "gass")) row.request.vary.clear();
        const auto starts = static_cast<std::size_t>(candidates_for(row.request.method, common.images));
        row.request.seeds = seeds_for(common.seeds, starts);
        engine.complete(row.request);
        rows.push_back(std::move(row));
    }
    return rows;
}

/// A page of more pictures than this helps nobody.
void check_size(std::size_t prompts, const std::vector<Row>& rows) {
    constexpr std::size_t kMostPictures = 50'000;
    const std::size_t pictures =
        prompts * rows.size() * static_cast<std::size_t>(rows.front().request.images);
    if (pictures > kMostPictures)
        fail(ErrorCode::usage, "gass compare", "{} pictures; at most {}", pictures, kMostPictures);
}

/// The files that speak of the sets beside them: gone before the first of these changes, there once all are
/// made. A mark stands for them meanwhile, by which the next comparison knows the folder if this one is
/// killed.
class ResultFiles {
  public:
    explicit ResultFiles(const fs::path& folder) : folder_(folder) {}

    static bool are_expected(const fs::path& folder) {
        std::error_code error;
        return fs::exists(folder / kMark, error);
    }

    /// Call before a set is written.
    void begin() {
        if (std::exchange(is_begun_, true)) return;
        write_text_file(folder_ / kMark, "");
        for (const std::string_view name : {kTable, kPage, kJson, kSheet}) {
            std::error_code ignored;
            fs::remove(folder_ / name, ignored);
        }
    }

    void write(const Comparison& comparison) {
        write_text_file(folder_ / kTable, comparison_csv(comparison));
        write_text_file(folder_ / kPage, comparison_page(comparison));
        write_text_file(folder_ / kJson, shown(comparison_json(comparison)));
        std::error_code ignored;
        fs::remove(folder_ / kMark, ignored);
    }

  private:
    static constexpr std::string_view kMark = ".gass-comparing";
    fs::path folder_;
    bool is_begun_ = false;
};

/// What a folder of ours may hold already; anybody else's stays untouched.
void check_folder(const fs::path& folder) {
    std::error_code error;
    if (fs::is_empty(folder, error) || ResultFiles::are_expected(folder)) return;
    constexpr std::size_t kMostJson = std::size_t{256} << 20U;  // more than the largest comparison writes
    try {
        const Json earlier = parse_json(read_text_file(folder / kJson, kMostJson), kJson);
        if (earlier.contains("gass") && earlier.contains("methods")) return;
    } catch (const Error&) {
        log::debug("{} holds no comparison", folder.string());
    }
    fail(ErrorCode::usage, "--output", "{} holds files that gass compare did not make; choose another folder",
         in_quotes(folder.string()));
}

/// The page holds every picture, so many of them are shown smaller.
std::uint32_t longest_side(std::size_t pictures) {
    constexpr double kPixels = 24e6;
    const double side = std::sqrt(kPixels / static_cast<double>(std::max<std::size_t>(pictures, 1)));
    return static_cast<std::uint32_t>(std::clamp<double>(side, 64, kLongestShown));
}

bool is_of_one_row(const Error& error) {
    return error.code() == ErrorCode::usage || error.code() == ErrorCode::failure ||
           error.code() == ErrorCode::out_of_memory || error.code() == ErrorCode::model_invalid;
}

/// Goes through prompts and methods, and writes each group as `gass generate` would.
class Comparing {
  public:
    Comparing(const Engine& engine, const std::vector<Row>& rows, const fs::path& folder, ResultFiles& files,
              ProgressMode progress)
        : engine_(engine), rows_(rows), folder_(folder), files_(files), progress_(progress) {
        const Request& first = rows.front().request;
        result_.model = model_label(engine.options().model);
        result_.guide = engine.guide();
        result_.settings = {{"steps", first.steps.value()},
                            {"cfg_scale", first.cfg_scale.value()},
                            {"width", first.width.value()},
                            {"height", first.height.value()},
                            {"images", first.images},
                            {"sampling_method", first.sampling_method},
                            {"negative_prompt", first.negative_prompt},
                            {"dtype", engine.dtype()},
                            {"device", engine.device()}};
    }

    /// Stops early when it is interrupted. What cannot be repaired is thrown; what was made until then stays
    /// in the result.
    void run(const std::vector<Prompt>& prompts) {
        const std::uint32_t longest = longest_side(prompts.size() * rows_.size() *
                                                   static_cast<std::size_t>(rows_.front().request.images));
        for (std::size_t p = 0; p < prompts.size() && !is_interrupted(); ++p) {
            const fs::path place = prompts.size() == 1
                                       ? fs::path()
                                       : fs::path(fmt::format("{:04}-{}", p, slug_of(prompts[p].text)));
            std::exception_ptr fatal;
            ComparedPrompt compared{prompts[p].text, {}, columns()};
            for (std::size_t r = 0; r < rows_.size(); ++r) {
                const std::string label = fmt::format("{}/{} {}", p * rows_.size() + r + 1,
                                                      prompts.size() * rows_.size(), rows_[r].asked);
                const fs::path own = place / fmt::format("{:02}-{}", r, slug_of(rows_[r].asked));
                try {
                    compared.groups.push_back(fatal == nullptr && !is_interrupted()
                                                  ? made(rows_[r], prompts[p], own, label)
                                                  : not_made(rows_[r]));
                } catch (const Error&) {
                    fatal = std::current_exception();
                    compared.groups.push_back(not_made(rows_[r]));
                }
            }
            keep(std::move(compared), place, longest);
            if (fatal != nullptr) std::rethrow_exception(fatal);
        }
    }

    const Comparison& result() const { return result_; }
    std::size_t failed() const { return failed_; }

  private:
    /// The seeds that all methods start from; one that selects has more.
    std::vector<std::uint64_t> columns() const {
        const Request& first = rows_.front().request;
        return seeds_for(first.seeds, static_cast<std::size_t>(first.images));
    }

    /// A prompt of which nothing was made is not worth a place.
    void keep(ComparedPrompt compared, const fs::path& place, std::uint32_t longest) {
        const auto is_there = [](const ComparedGroup& group) { return !group.images.empty(); };
        const bool stopped = is_interrupted() && std::ranges::none_of(compared.groups, is_there);
        if (stopped) return;
        if (std::ranges::any_of(compared.groups, is_there))
            write_png(folder_ / place / kSheet, comparison_sheet(compared, result_), {});
        for (ComparedGroup& group : compared.groups) {
            for (Image& image : group.images) image = at_most(image, longest);
        }
        result_.prompts.push_back(std::move(compared));
    }

    static ComparedGroup not_made(const Row& row) {
        return {.method = row.asked,
                .settings = row.request.method,
                .images = {},
                .files = {},
                .seeds = {},
                .spread = nullptr,
                .sees_guide = needs_vision(row.request.method),
                .seconds = 0.0,
                .error = "not made: stopped before its turn"};
    }

    ComparedGroup made(const Row& row, const Prompt& prompt, const fs::path& place,
                       const std::string& label) {
        ComparedGroup compared = not_made(row);
        Request request = row.request;
        request.prompt = prompt.text;
        Progress progress(progress_, label);
        try {
            const OutputFolder own(folder_ / place);
            check_group_folder(own.path(), static_cast<std::size_t>(request.images));
            Group group = engine_.generate(request, watched_by(progress));
            progress.finish();
            files_.begin();
            const Json json = write_group(own.path(), group, record_of(engine_, request, group), true);
            for (const Json& image : json.at("images"))
                compared.files.push_back((place / image.at("file").get<std::string>()).generic_string());
            compared.seconds = group.timings.text + group.timings.denoise + group.timings.decode;
            compared.seeds = std::move(group.seeds);
            compared.spread = std::move(group.spread);
            // Full size is on the disk; what page and sheet show is enough to hold.
            for (const Image& image : group.images)
                compared.images.push_back(at_most(image, kLongestShown));
            compared.error.clear();
        } catch (const Error& error) {
            progress.finish();
            if (error.code() == ErrorCode::interrupted) return compared;
            if (!is_of_one_row(error)) throw;
            log::error("[{}, {}] {}", prompt.where, row.asked, error.what());
            compared.error = error.what();
            ++failed_;
        }
        return compared;
    }

    const Engine& engine_;
    const std::vector<Row>& rows_;
    fs::path folder_;
    ResultFiles& files_;
    ProgressMode progress_;
    Comparison result_;
    std::size_t failed_ = 0;
};

std::string table_of(const Comparison& comparison) {
    Table table(comparison_header());
    for (std::vector<std::string>& row : comparison_rows(comparison)) table.add(std::move(row));
    return table.text();
}

}  // namespace

int compare_methods(CommandLine& line, const CompareOptions& options) {
    const Settings& settings = line.resolve();
    if (line.print_config()) return 0;
    const std::vector<Prompt> prompts = read_prompts(options.prompt, options.prompt_file);
    Request common = request_from(settings);
    if (options.seeds) {
        common.seeds = parse_seeds(*options.seeds);
        if (!line.has_flag("images")) common.images = static_cast<std::int64_t>(common.seeds.size());
        if (common.seeds.size() != static_cast<std::size_t>(common.images))
            fail(ErrorCode::usage, "--seeds", "{} seeds for {} images", common.seeds.size(), common.images);
    } else {
        const auto count = static_cast<std::size_t>(common.images);
        const auto asked = settings.find("seed")->get<std::int64_t>();
        common.seeds = consecutive_seeds(first_seed(asked, kMaxSeeds), count);
    }
    std::optional<OutputFolder> output;
    if (!options.output.empty()) check_folder(output.emplace(options.output).path());
    const std::string methods = methods_of(settings, options);

    catch_interrupt();
    Engine engine(engine_options_from(settings));
    common.measure = !engine.guide().empty();
    if (!common.measure)
        log::warn("[--guide] no CLIP model is named that could measure the sets: pictures and times only");
    const std::vector<Row> rows = rows_of(engine, common, methods, options.grid);
    check_size(prompts.size(), rows);
    engine.load();

    if (!output)
        output.emplace(OutputFolder::numbered("gass-out", "compare-" + slug_of(prompts.front().text)));
    const OutputFolder& folder = *output;
    ResultFiles files(folder.path());
    Comparing comparing(engine, rows, folder.path(), files, progress_mode(settings.text("progress")));
    try {
        comparing.run(prompts);
    } catch (const Error&) {
        files.write(comparing.result());
        throw;
    }
    if (is_interrupted() && comparing.result().prompts.empty()) {
        log::error("interrupted before a set was made");
        return exit_status(ErrorCode::interrupted);
    }
    files.write(comparing.result());
    if (is_interrupted()) {
        log::error("interrupted; what was made is in {}", folder.path().string());
        return exit_status(ErrorCode::interrupted);
    }
    const Comparison& comparison = comparing.result();
    if (options.json) {
        Json out{{"folder", folder.path().string()}};
        out.update(comparison_json(comparison));
        write_stdout(shown(out));
    } else {
        const std::string caution = comparison_caution(comparison);
        write_stdout(table_of(comparison) + (caution.empty() ? "" : "\n" + caution + "\n") +
                     fmt::format("\n{}: {} (the page), {}, {}, {}\n", folder.path().string(), kPage, kSheet,
                                 kTable, kJson));
    }
    return comparing.failed() == 0 ? 0 : exit_status(ErrorCode::partial);
}

}  // namespace gass::cli
