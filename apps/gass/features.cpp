#include "core/fail.h"
#include "engine.h"
#include "interrupt.h"
#include "measure/metric/result.h"
#include "output.h"
#include "picture_watch.h"

namespace gass::cli {
namespace {

FeaturesResult saved(const FeaturesOptions& options, const Settings& settings) {
    FeaturesRequest request{.output = options.output};
    fill_in(request, options.pictures, settings);
    if (!options.pictures.encoders.empty()) request.encoder = options.pictures.encoders.front();
    catch_interrupt();
    PictureWatch watch(progress_mode(settings.text("progress")));
    return save_features(request, watch.events());
}

void show(const FeaturesOptions& options, const FeaturesResult& result) {
    if (options.json) {
        Json out{{"file", options.output},
                 {"shape", {result.rows, result.columns}},
                 {"seconds", result.seconds},
                 {"from_cache", result.from_cache}};
        out.update(to_json(result.encoder));
        out["files"] = Json::array();
        for (const std::filesystem::path& file : result.files) out["files"].push_back(file.string());
        write_json("features/1", out);
    } else {
        write_stdout(fmt::format("{}: {} × {} by {} in {:.1f} s ({:.0f} images/s), {} from the cache\n",
                                 options.output, result.rows, result.columns, result.encoder.name,
                                 result.seconds, static_cast<double>(result.rows) / result.seconds,
                                 result.from_cache));
    }
}

}  // namespace

int write_image_features(CommandLine& line, const FeaturesOptions& options) {
    const Settings& settings = line.resolve_without_model();
    if (line.print_config()) return 0;
    if (options.pictures.encoders.size() > 1)
        fail(ErrorCode::usage, "--encoder", "one file holds the features of one network; {} are named",
             options.pictures.encoders.size());
    const FeaturesResult result = saved(options, settings);
    show(options, result);
    return result.unreadable.empty() ? 0 : exit_status(ErrorCode::partial);
}

}  // namespace gass::cli
