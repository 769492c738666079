#include "sets/reproduce.h"

#include "engine.h"
#include "generation_events.h"
#include "interrupt.h"
#include "output.h"
#include "progress.h"

#include <fmt/format.h>

namespace gass::cli {
namespace {

Json json_of(const std::string& file, const Reproduction& result) {
    return {{"file", file},
            {"index", result.index},
            {"same_bytes", result.same_bytes},
            {"same_pixels", result.largest_difference == 0},
            {"largest_difference", result.largest_difference},
            {"share_of_values", result.share_of_values},
            {"changes", result.changes}};
}

std::string text_of(const std::string& file, const Reproduction& result) {
    if (result.same_bytes)
        return fmt::format("{}: the same bytes (image {} of {}, seed {})\n", file, result.index + 1,
                           result.images, result.seed);
    std::string out = file;
    out += result.largest_difference == 0
               ? ": the same pixels, another file: it was saved again, or its metadata differ\n"
               : fmt::format(": {:.2f} % of the values differ, by at most {} levels\n",
                             100 * result.share_of_values, result.largest_difference);
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
    const Reproduction result = reproduce(order, [&] { return events_for(progress); });
    progress.finish();
    write_stdout(options.json ? shown(json_of(options.file, result)) : text_of(options.file, result));
    return result.same_bytes || result.is_twin ? 0 : exit_status(ErrorCode::check_failed);
}

}  // namespace gass::cli
