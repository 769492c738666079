#include "core/fail.h"
#include "core/json.h"
#include "core/quote.h"
#include "core/stopwatch.h"
#include "features/feature_file.h"
#include "features/feature_sources.h"
#include "measure/feature_run.h"
#include "measure/metric/request.h"

#include <gass/measure.h>

#include <ATen/ATen.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gass {
namespace {

void check_output(const std::filesystem::path& output) {
    check_feature_path(output);
    const std::filesystem::path folder = output.parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
        fail(ErrorCode::usage, SettingKey("output"), "there is no folder {}", in_quotes(folder.string()));
}

/// What a file of features says about them, with the files of its rows.
std::map<std::string, std::string> about(const FeaturesResult& result) {
    Json files = Json::array();
    for (const std::filesystem::path& file : result.files) files.push_back(file.string());
    return {{"encoder", result.encoder.name},
            {"weights", result.encoder.weights.value_or("")},
            {"preprocessing", result.encoder.preprocessing.value_or("")},
            {"files", files.dump(-1, ' ', false, Json::error_handler_t::replace)}};
}

}  // namespace

FeaturesResult save_features(const FeaturesRequest& request, const MeasureEvents& events) {
    check_output(request.output);
    check_request(request);
    ImageSet set = find_images({.places = request.images, .pictures = request.pictures});
    FeatureRun run(request, events);
    const auto encoder = run.open(request.encoder);
    const Stopwatch watch;
    std::vector<at::Tensor> rows;
    for (const GroupFeatures& group : run.features(set, *encoder)) rows.push_back(group.images);
    FeaturesResult result;
    result.seconds = watch.seconds();
    const at::Tensor features = at::cat(rows);
    result.rows = features.size(0);
    result.columns = features.size(1);
    result.encoder = description_of(*encoder);
    result.from_cache = run.from_cache();
    for (const ImageGroup& group : set.groups) {
        for (const MeasuredImage& image : group.images) result.files.push_back(image.file);
    }
    result.unreadable = run.unreadable();
    write_features(request.output, features, about(result));
    return result;
}

}  // namespace gass
