#include "server/result.h"

#include "core/log.h"
#include "explain/group_story.h"
#include "gallery/command_line.h"
#include "io/file.h"
#include "io/file_set.h"
#include "io/set_folder.h"
#include "record/record_json.h"
#include "record/spread_json.h"

#include <gass/error.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace gass::server {
namespace {

using explain::Place;

/// Where the images lie on the sphere around the prompt, each in −1 … 1 and with one scale for both axes:
/// across to the right, along the prompt upwards.
std::vector<Json> places_of(const Json& group, std::size_t images) {
    std::vector<Json> shown(images);
    const auto spread = group.find("spread");
    if (spread == group.end()) return shown;
    const std::vector<std::optional<Place>> places = explain::places_of(read_spread(*spread, "spread"));
    std::optional<Place> low;
    std::optional<Place> high;
    for (const auto& place : places) {
        if (!place) continue;
        low = low ? Place{std::min(low->along, place->along), std::min(low->across, place->across)} : *place;
        high =
            high ? Place{std::max(high->along, place->along), std::max(high->across, place->across)} : *place;
    }
    if (!low) return shown;
    const double half = std::max({(high->along - low->along) / 2, (high->across - low->across) / 2, 1e-9});
    for (std::size_t i = 0; i < std::min(images, places.size()); ++i) {
        if (!places[i]) continue;
        shown[i] = {(places[i]->across - (low->across + high->across) / 2) / half,
                    (places[i]->along - (low->along + high->along) / 2) / half};
    }
    return shown;
}

}  // namespace

Json result_of(const Json& group, const std::string& id, std::int64_t evaluations) {
    const Json& list = group.at("images");
    const Json& settings = group.at("settings");
    const std::vector<Json> places = places_of(group, list.size());
    Json images = Json::array();
    for (std::size_t i = 0; i < list.size(); ++i) {
        images.push_back({{"index", i},
                          {"seed", list[i].at("seed")},
                          {"url", fmt::format("/api/v1/jobs/{}/images/{}", id, i)},
                          {"width", settings.at("width")},
                          {"height", settings.at("height")},
                          {"place", places[i]}});
    }
    const std::vector<std::string> words = gallery::command_words(read_record(group, "group.json"));
    return {{"images", std::move(images)},
            {"spread", group.contains("spread") ? group.at("spread") : Json()},
            {"cost", {{"seconds", group.at("timings").at("total")}, {"evaluations", evaluations}}},
            {"command", fmt::format("{}", fmt::join(words, " "))}};
}

Json finished_group(const std::filesystem::path& folder) {
    try {
        std::error_code error;
        if (!std::filesystem::exists(folder, error)) return nullptr;
        settle_file_set(folder);
        if (!std::filesystem::exists(folder / kGroupFile, error)) return nullptr;
        constexpr std::size_t kMostJson = std::size_t{48} << 20U;
        Json group = parse_json(read_text_file(folder / kGroupFile, kMostJson), kGroupFile);
        return group.value("complete", false) ? group : Json();
    } catch (const Error& error) {
        log::warn("{}", error.what());
        return nullptr;
    }
}

}  // namespace gass::server
