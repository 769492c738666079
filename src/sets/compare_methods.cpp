#include "sets/compare_methods.h"

#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "engine/group_files.h"
#include "engine/request.h"
#include "io/file.h"
#include "io/png.h"
#include "record/labels.h"
#include "sheet/resize.h"

#include <gass/compare.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <utility>

namespace gass {
namespace {

namespace fs = std::filesystem;

/// A page of more pictures than this helps nobody.
void check_size(std::size_t prompts, const std::vector<ComparedRow>& rows) {
    constexpr std::size_t kMostPictures = 50'000;
    const std::size_t pictures = prompts * rows.size() * static_cast<std::size_t>(rows.front().plan.images());
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
        for (const char* const name : {kCompareTable, kComparePage, kCompareJson, kSheetFile}) {
            std::error_code ignored;
            fs::remove(folder_ / name, ignored);
        }
    }

    void write(const Comparison& comparison) {
        write_text_file(folder_ / kCompareTable, comparison_csv(comparison));
        write_text_file(folder_ / kComparePage, comparison_page(comparison));
        write_text_file(folder_ / kCompareJson, shown(comparison_json(comparison)));
        std::error_code ignored;
        fs::remove(folder_ / kMark, ignored);
    }

  private:
    static constexpr std::string_view kMark = ".gass-comparing";
    fs::path folder_;
    bool is_begun_ = false;
};

/// The page holds every picture, so many of them are shown smaller.
std::uint32_t longest_side(std::size_t pictures) {
    constexpr double kPixels = 24e6;
    const double side = std::sqrt(kPixels / static_cast<double>(std::max<std::size_t>(pictures, 1)));
    return static_cast<std::uint32_t>(std::clamp<double>(side, 64, kLongestShown));
}

/// Goes through prompts and methods, and writes each group as `gass generate` would.
class Comparing {
  public:
    Comparing(const Engine& engine, const CompareOrder& order, const std::vector<ComparedRow>& rows,
              const fs::path& folder, const CompareEvents& events)
        : engine_(engine), order_(order), rows_(rows), folder_(folder), files_(folder), events_(events) {
        const Plan& first = rows.front().plan;
        result_.model = model_label(engine.options().model);
        result_.guide = engine.guide();
        result_.settings.steps = first.steps();
        result_.settings.cfg_scale = first.cfg_scale();
        result_.settings.width = first.width();
        result_.settings.height = first.height();
        result_.settings.images = first.images();
        result_.settings.sampling_method = first.sampling_method();
        result_.settings.negative_prompt = first.negative_prompt();
        result_.settings.dtype = engine.dtype();
        result_.settings.device = engine.device();
    }

    Comparison run() {
        try {
            make_all();
        } catch (const Error&) {
            files_.write(result_);
            throw;
        }
        if (!result_.prompts.empty()) files_.write(result_);
        return std::move(result_);
    }

  private:
    bool is_stopping() const { return events_.should_stop && events_.should_stop(); }

    /// Stops early when it is told to. What cannot be repaired is thrown; what was made until then stays in
    /// the result.
    void make_all() {
        const std::vector<ListedPrompt>& prompts = order_.prompts;
        const std::uint32_t longest = longest_side(prompts.size() * rows_.size() * images());
        for (std::size_t p = 0; p < prompts.size() && !is_stopping(); ++p) {
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
                    compared.groups.push_back(fatal == nullptr && !is_stopping()
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

    std::size_t images() const { return static_cast<std::size_t>(rows_.front().plan.images()); }

    /// The seeds that all methods start from; one that selects has more.
    std::vector<std::uint64_t> columns() const { return seeds_for(rows_.front().plan.seeds(), images()); }

    /// A prompt of which nothing was made is not worth a place.
    void keep(ComparedPrompt compared, const fs::path& place, std::uint32_t longest) {
        const auto is_there = [](const ComparedGroup& group) { return !group.images.empty(); };
        const bool stopped = is_stopping() && std::ranges::none_of(compared.groups, is_there);
        if (stopped) return;
        if (std::ranges::any_of(compared.groups, is_there))
            write_png(folder_ / place / kSheetFile, comparison_sheet(compared, result_), {});
        for (ComparedGroup& group : compared.groups) {
            for (Image& image : group.images) image = at_most(image, longest);
        }
        result_.prompts.push_back(std::move(compared));
    }

    static ComparedGroup not_made(const ComparedRow& row) {
        return {.method = row.asked,
                .settings = row.plan.method(),
                .images = {},
                .files = {},
                .seeds = {},
                .spread = {},
                .sees_guide = row.plan.looks(),
                .seconds = 0.0,
                .error = "not made: stopped before its turn"};
    }

    ComparedGroup made(const ComparedRow& row, const ListedPrompt& prompt, const fs::path& place,
                       const std::string& label) {
        ComparedGroup compared = not_made(row);
        Request request = row.request;
        request.prompt = prompt.text;
        try {
            const OutputFolder own(folder_ / place);
            check_group_folder(own.path(), images(), *order_.pictures.format);
            Group group =
                engine_.generate(engine_.plan(request), events_.watch ? events_.watch(label) : Events{});
            if (events_.ended) events_.ended();
            files_.begin();
            write_group(own.path(), group, order_.pictures);
            compared.seconds = group.timings.text + group.timings.denoise + group.timings.decode;
            compared.spread = std::move(group.spread);
            for (std::size_t i = 0; i < group.images.size(); ++i) {
                compared.files.push_back((place / picture_name(i, *order_.pictures.format)).generic_string());
                compared.seeds.push_back(group.images[i].seed);
                // Full size is on the disk; what page and sheet show is enough to hold.
                compared.images.push_back(at_most(group.images[i], kLongestShown));
            }
            compared.error.clear();
        } catch (const Error& error) {
            if (events_.ended) events_.ended();
            if (error.code() == ErrorCode::interrupted) return compared;
            if (!concerns_one_item(error.code())) throw;
            if (events_.failed) events_.failed(prompt, row.asked, error);
            compared.error = error.what();
        }
        return compared;
    }

    const Engine& engine_;
    const CompareOrder& order_;
    const std::vector<ComparedRow>& rows_;
    fs::path folder_;
    ResultFiles files_;
    const CompareEvents& events_;
    Comparison result_;
};

}  // namespace

std::vector<ComparedRow> rows_of(const Engine& engine, const CompareOrder& order) {
    constexpr std::size_t kMostRows = 64;
    if (order.methods.size() > kMostRows)
        fail(ErrorCode::usage, SettingKey("methods"), "{} rows; at most {}", order.methods.size(), kMostRows);
    std::vector<ComparedRow> rows;
    for (const std::string& method : order.methods) {
        Request request = with_method(order.request, method);
        request.prompt = order.prompts.front().text;
        Plan plan = engine.plan(request);
        rows.push_back({method, settled_request(plan), std::move(plan)});
    }
    check_size(order.prompts.size(), rows);
    order.pictures.check_size(rows.front().plan.width(), rows.front().plan.height());
    return rows;
}

void check_compare_folder(const fs::path& folder) {
    std::error_code error;
    if (fs::is_empty(folder, error) || ResultFiles::are_expected(folder)) return;
    constexpr std::size_t kMostJson = std::size_t{256} << 20U;  // more than the largest comparison writes
    try {
        const Json earlier = parse_json(read_text_file(folder / kCompareJson, kMostJson), kCompareJson);
        if (earlier.contains("gass") && earlier.contains("methods")) return;
    } catch (const Error&) {
        log::debug("{} holds no comparison", folder.string());
    }
    fail(ErrorCode::usage, SettingKey("output"),
         "{} holds files that gass compare did not make; choose another folder", in_quotes(folder.string()));
}

Comparison compare_methods(const Engine& engine, const CompareOrder& order,
                           const std::vector<ComparedRow>& rows, const OutputFolder& folder,
                           const CompareEvents& events) {
    return Comparing(engine, order, rows, folder.path(), events).run();
}

std::size_t failures_of(const Comparison& comparison) {
    std::size_t failures = 0;
    for (const ComparedPrompt& prompt : comparison.prompts) {
        failures += static_cast<std::size_t>(std::ranges::count_if(
            prompt.groups, [](const ComparedGroup& group) { return !group.error.empty(); }));
    }
    return failures;
}

Comparison compare_methods(const Engine& engine, const CompareRequest& request, const std::string& folder,
                           const Events& events) {
    CompareOrder order{.prompts = {}, .request = request.request, .methods = request.methods};
    for (const std::string& prompt : request.prompts) order.prompts.push_back({prompt, "prompt"});
    if (order.prompts.empty() || order.methods.empty())
        fail(ErrorCode::usage, "compare", "expected one prompt and one method or more");
    order.request.measure = !engine.guide().empty();
    const OutputFolder place{fs::path(folder)};
    check_compare_folder(place.path());
    const std::vector<ComparedRow> rows = rows_of(engine, order);
    engine.load();
    CompareEvents watching;
    watching.watch = [&](const std::string&) { return events; };
    watching.should_stop = events.should_stop;
    return compare_methods(engine, order, rows, place, watching);
}

}  // namespace gass
