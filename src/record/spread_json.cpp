#include "record/spread_json.h"

#include "core/optional_number.h"
#include "record/numbers_json.h"

namespace gass {
namespace {

Json target_json(const TargetReached& target) {
    return {{"metric", target.metric}, {"wanted", target.wanted},     {"reached", target.reached},
            {"plain", target.plain},   {"strength", target.strength}, {"sets", target.sets},
            {"met", target.met}};
}

TargetReached read_target(const Json& json, const std::string& where) {
    JsonReader reader(json, where);
    return {.metric = reader.string("metric"),
            .wanted = reader.number("wanted"),
            .reached = reader.number("reached"),
            .plain = reader.number("plain"),
            .strength = reader.number("strength"),
            .sets = read_whole(reader, "sets"),
            .met = reader.boolean("met")};
}

}  // namespace

Json to_json(const Spread& spread) {
    Json json{{"vendi", or_null(spread.vendi)},      {"pairwise", or_null(spread.pairwise)},
              {"spp", or_null(spread.spp)},          {"d_dep", or_null(spread.d_dep)},
              {"d_ind", or_null(spread.d_ind)},      {"clip_score", or_null(spread.clip_score)},
              {"along", numbers_json(spread.along)}, {"across", numbers_json(spread.across)}};
    if (spread.target) json["target"] = target_json(*spread.target);
    return json;
}

Spread read_spread(const Json& json, const std::string& where) {
    JsonReader reader(json, where);
    Spread spread{.vendi = read_number(reader, "vendi"),
                  .pairwise = read_number(reader, "pairwise"),
                  .spp = read_number(reader, "spp"),
                  .d_dep = read_number(reader, "d_dep"),
                  .d_ind = read_number(reader, "d_ind"),
                  .clip_score = read_number(reader, "clip_score"),
                  .along = read_numbers(reader, "along"),
                  .across = read_numbers(reader, "across"),
                  .target = {}};
    check_length(where, "the part across", spread.across.size(), spread.along.size());
    if (const Json* target = reader.find("target")) spread.target = read_target(*target, where + ".target");
    return spread;
}

}  // namespace gass
