#include "catalog/dial_points.h"

#include "core/fail.h"

#include <algorithm>
#include <functional>

namespace gass {

DialPoints read_dial_points(const Json& json, std::string_view where) {
    JsonReader reader(json, where);
    DialPoints points;
    const Json& list = reader.at("points");
    for (const Json& point : list.is_array() ? list : Json::array()) {
        const bool pair =
            point.is_array() && point.size() == 2 && point[0].is_number() && point[1].is_number();
        if (!pair) fail(ErrorCode::model_invalid, where, "points: expected [strength, effort]");
        points.emplace_back(point[0].get<double>(), point[1].get<double>());
    }
    const auto rises = [](const auto& a, const auto& b) { return a.first < b.first && a.second < b.second; };
    const bool whole = points.size() >= 2 && points.front() == std::pair(0.0, 0.0) &&
                       points.back().first == 1.0 && points.back().second <= kMaxEffort &&
                       std::ranges::adjacent_find(points, std::not_fn(rises)) == points.end();
    if (!whole) {
        fail(ErrorCode::model_invalid, where,
             "points: expected rising [strength, effort] from [0, 0] to strength 1 and an effort of at most "
             "{}",
             kMaxEffort);
    }
    return points;
}

}  // namespace gass
