#include "sets/reproduce.h"

#include "core/wording.h"
#include "engine.h"
#include "generation_events.h"
#include "interrupt.h"
#include "output.h"
#include "progress.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

namespace gass::cli {
namespace {

namespace fs = std::filesystem;

Json json_of(const Reproduction& result) {
    return {{"file", result.file},
            {"index", result.index},
            {"same_bytes", result.same_bytes},
            {"same_pixels", result.largest_difference == 0},
            {"largest_difference", result.largest_difference},
            {"share_of_values", result.share_of_values},
            {"changes", result.changes}};
}

std::string text_of(const Reproduction& result) {
    const std::string& file = result.file;
    if (result.same_bytes)
        return fmt::format("{}: the same bytes (image {} of {}, seed {})\n", file, result.index + 1,
                           result.images, result.seed);
    std::string out = file;
    out += result.largest_difference == 0
               ? ": the same pixels, another file: it was saved again, or its metadata differ\n"
               : fmt::format(": {:.2f} % of the values differ, by at most {}\n", 100 * result.share_of_values,
                             counted(static_cast<std::uint64_t>(result.largest_difference), "level"));
    for (const std::string& change : result.changes) out += "  " + change + "\n";
    if (result.changes.empty() && result.largest_difference > 0) {
        out += fmt::format(
            "  nothing that gass records has changed: the picture was edited, or another CPU, GPU{} "
            "rounds differently\n",
            result.encoder.empty() ? " or LibTorch"
                                   : fmt::format(", LibTorch or {} encoder", result.encoder));
    }
    return out;
}

}  // namespace

int reproduce_image(const CommandLine&, const ReproduceOptions& options) {
    const ReproduceOrder order{.file = options.file,
                               .model = options.model,
                               .device = options.device,
                               .dtype = options.dtype,
                               .guide = options.guide,
                               .method = options.method,
                               .output = options.output};
    catch_interrupt();
    Progress progress(ProgressMode::automatic, "");
    const std::vector<Reproduction> results = reproduce(order, [&] { return events_for(progress); });
    progress.finish();
    Json pictures = Json::array();
    std::string text;
    bool is_good = true;
    for (const Reproduction& result : results) {
        pictures.push_back(json_of(result));
        text += text_of(result);
        is_good = is_good && (result.same_bytes || result.is_twin);
    }
    std::error_code error;
    if (!options.json)
        write_stdout(text);
    else if (fs::is_directory(order.file, error))
        write_json("reproduced-set/1", {{"folder", options.file}, {"pictures", std::move(pictures)}});
    else
        write_json("reproduced/1", pictures.front());
    return is_good ? 0 : exit_status(ErrorCode::check_failed);
}

}  // namespace gass::cli
