#include "core/fail.h"
#include "core/quote.h"
#include "core/stopwatch.h"
#include "feature_run.h"
#include "features/feature_file.h"
#include "interrupt.h"
#include "output.h"

#include <ATen/ATen.h>

#include <filesystem>

namespace gass::cli {

int write_image_features(CommandLine& line, const FeaturesOptions& options) {
    const Settings& settings = line.resolve();
    if (line.print_config()) return 0;
    check_feature_path(options.output);
    const std::filesystem::path folder = std::filesystem::path(options.output).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
        fail(ErrorCode::usage, "--output", "there is no folder {}", in_quotes(folder.string()));
    if (options.pictures.encoders.size() > 1)
        fail(ErrorCode::usage, "--encoder", "one file holds the features of one network; {} are named",
             options.pictures.encoders.size());
    ImageSet set = image_set_of(options.pictures);
    catch_interrupt();
    FeatureRun run(settings, options.pictures);
    const std::string name =
        options.pictures.encoders.empty() ? std::string(kUsualEncoder) : options.pictures.encoders.front();
    const auto encoder = run.open(name, false);
    const Stopwatch watch;
    std::vector<at::Tensor> rows;
    for (const GroupFeatures& group : run.features(set, *encoder)) rows.push_back(group.images);
    const double seconds = watch.seconds();
    const at::Tensor features = at::cat(rows);

    Json files = Json::array();
    for (const ImageGroup& group : set.groups) {
        for (const MeasuredImage& image : group.images) files.push_back(image.file.string());
    }
    std::map<std::string, std::string> about;
    const Json description = description_of(*encoder);
    for (const auto& [key, value] : description.items()) about[key] = value.get<std::string>();
    about["files"] = files.dump(-1, ' ', false, Json::error_handler_t::replace);
    write_features(options.output, features, about);

    report_unreadable(run.unreadable());
    if (options.json) {
        Json out{{"file", options.output},
                 {"shape", {features.size(0), features.size(1)}},
                 {"seconds", seconds},
                 {"from_cache", run.from_cache()}};
        out.update(description);
        out["files"] = files;
        write_stdout(shown(out));
    } else {
        write_stdout(fmt::format("{}: {} × {} by {} in {:.1f} s ({:.0f} images/s), {} from the cache\n",
                                 options.output, features.size(0), features.size(1), encoder->name(), seconds,
                                 static_cast<double>(features.size(0)) / seconds, run.from_cache()));
    }
    return run.unreadable().empty() ? 0 : exit_status(ErrorCode::partial);
}

}  // namespace gass::cli
