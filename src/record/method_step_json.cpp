#include "record/method_step_json.h"

#include "core/fail.h"
#include "core/optional_number.h"
#include "record/candidate.h"
#include "record/numbers_json.h"

#include <string_view>
#include <utility>

namespace gass {
namespace {

// In both directions one step after the other, in the order of the variant.

Json candidate_json(const Candidate& candidate) {
    Json json{{"seed", candidate.seed},
              {"along", or_null(candidate.along)},
              {"across", or_null(candidate.across)},
              {"kept", is_kept(candidate.fate)}};
    if (const std::string_view reason = reason_of(candidate); !reason.empty()) json["reason"] = reason;
    return json;
}

Json unmoved_json(const std::vector<Unmoved>& unmoved) {
    Json json = Json::array();
    for (const Unmoved& one : unmoved) json.push_back({{"image", one.image}, {"reason", one.reason}});
    return json;
}

Json rows_json(const std::vector<Numbers>& rows) {
    Json json = Json::array();
    for (const Numbers& row : rows) json.push_back(numbers_json(row));
    return json;
}

Json projections_json(const Expansion::Projections& axis) {
    return {{"before", numbers_json(axis.before)},
            {"target", numbers_json(axis.target)},
            {"after", numbers_json(axis.after)}};
}

Json step_json(const Selection& selection) {
    Json candidates = Json::array();
    for (const Candidate& candidate : selection.candidates) candidates.push_back(candidate_json(candidate));
    return {{"step", selection.step},
            {"time", or_null(selection.time)},
            {"kind", "select"},
            {"candidates", std::move(candidates)},
            {"seconds", or_null(selection.seconds)}};
}

Json step_json(const Push& push) {
    Json json{{"step", push.step}, {"time", or_null(push.time)}, {"kind", "push"}};
    if (!push.skipped.empty()) {
        json["skipped"] = push.skipped;
        return json;
    }
    json.update({{"energies", numbers_json(push.energies)},
                 {"along", numbers_json(push.along)},
                 {"target_along", numbers_json(push.target_along)},
                 {"before", rows_json(push.before)},
                 {"target", rows_json(push.target)},
                 {"latent_move", numbers_json(push.latent_moves)},
                 {"unmoved", unmoved_json(push.unmoved)},
                 {"seconds", or_null(push.seconds)}});
    return json;
}

Json step_json(const Expansion& expansion) {
    Json json{{"step", expansion.step}};
    if (const auto& shifts = expansion.shifts) {
        json["dependent"] = projections_json(shifts->dependent);
        json["independent"] = projections_json(shifts->independent);
        json["loss"] = {{"start", numbers_json(shifts->loss_start)}, {"end", numbers_json(shifts->loss_end)}};
        json["iterations"] = shifts->iterations;
    }
    if (expansion.unmoved) json["unmoved"] = unmoved_json(*expansion.unmoved);
    json["latent_move"] = numbers_json(expansion.latent_moves);
    json["seconds"] = or_null(expansion.seconds);
    return json;
}

Json step_json(const Repulsion& repulsion) {
    Json json{{"step", repulsion.step}, {"time", or_null(repulsion.time)}, {"kind", "repel"}};
    if (repulsion.likelihood) json["likelihood"] = *repulsion.likelihood;
    if (repulsion.skipped.empty()) {
        json["latent_move"] = numbers_json(repulsion.latent_moves);
    } else {
        json["skipped"] = repulsion.skipped;
    }
    return json;
}

Json step_json(const Repellency& repellency) {
    return {{"step", repellency.step},
            {"time", or_null(repellency.time)},
            {"kind", "shield"},
            {"radius", or_null(repellency.radius)},
            {"active", or_null(repellency.active)},
            {"latent_move", numbers_json(repellency.latent_moves)}};
}

Candidate read_candidate(const Json& json, const std::string& where) {
    JsonReader reader(json, where);
    const Json& kept = reader.at("kept");
    if (!kept.is_boolean())
        fail(ErrorCode::model_invalid, where, "\"kept\" must be true or false, not {}", kept.type_name());
    Candidate candidate{.seed = read_whole(reader, "seed"),
                        .along = read_number(reader, "along"),
                        .across = read_number(reader, "across")};
    set_fate(candidate, kept.get<bool>(), read_text_if_any(reader, "reason"));
    return candidate;
}

Selection read_selection(JsonReader& reader) {
    Selection selection{.step = read_whole(reader, "step"),
                        .time = read_number(reader, "time"),
                        .candidates = {},
                        .seconds = read_number(reader, "seconds")};
    const std::string where = reader.where() + ".candidates";
    for (const Json& candidate : read_array(reader.at("candidates"), where)) {
        selection.candidates.push_back(
            read_candidate(candidate, fmt::format("{}[{}]", where, selection.candidates.size())));
    }
    return selection;
}

/// None if the step says nothing of them.
std::optional<std::vector<Unmoved>> read_unmoved(JsonReader& reader) {
    const Json* json = reader.find("unmoved");
    if (json == nullptr) return std::nullopt;
    std::vector<Unmoved> result;
    const std::string where = reader.where() + ".unmoved";
    for (const Json& one : read_array(*json, where)) {
        JsonReader entry(one, fmt::format("{}[{}]", where, result.size()));
        result.push_back({read_whole(entry, "image"), entry.string("reason")});
    }
    return result;
}

/// Every list of a step is of the same images. `places`: how many have a place; 0 if the step tells none.
void check_images(const std::string& where, std::size_t places, const Numbers& latent_moves,
                  const std::vector<Unmoved>& unmoved) {
    if (places > 0 && !latent_moves.empty()) check_length(where, "latent_move", latent_moves.size(), places);
    const std::size_t images = places > 0 ? places : latent_moves.size();
    // An expansion that moved nothing says no more than which images those are.
    if (images == 0) return;
    for (const Unmoved& one : unmoved) {
        if (one.image >= images)
            fail(ErrorCode::model_invalid, where, "\"unmoved\" names image {} of {}", one.image, images);
    }
}

std::vector<Numbers> read_rows(JsonReader& reader, std::string_view key) {
    const std::string where = fmt::format("{}.{}", reader.where(), key);
    std::vector<Numbers> rows;
    for (const Json& row : read_array(reader.at(key), where)) rows.push_back(read_numbers(row, where));
    return rows;
}

Push read_push(JsonReader& reader) {
    Push push{.step = read_whole(reader, "step"),
              .time = read_number(reader, "time"),
              .skipped = read_text_if_any(reader, "skipped")};
    if (!push.skipped.empty()) return push;
    const std::string& where = reader.where();
    push.seconds = read_number(reader, "seconds");
    push.unmoved = read_unmoved(reader).value_or(std::vector<Unmoved>());
    push.energies = read_numbers_if_any(reader, "energies");
    push.latent_moves = read_numbers_if_any(reader, "latent_move");
    push.along = read_numbers(reader, "along");
    push.before = read_rows(reader, "before");
    check_length(where, "the part across", push.before.size(), push.along.size());
    push.target_along = read_numbers(reader, "target_along");
    push.target = read_rows(reader, "target");
    check_length(where, "the part across", push.target.size(), push.target_along.size());
    check_length(where, "the targets", push.target.size(), push.along.size());
    check_images(where, push.along.size(), push.latent_moves, push.unmoved);
    return push;
}

Expansion::Projections read_projections(JsonReader& reader, std::string_view axis) {
    JsonReader own(reader.at(axis), fmt::format("{}.{}", reader.where(), axis));
    return {.before = read_numbers(own, "before"),
            .target = read_numbers(own, "target"),
            .after = read_numbers(own, "after")};
}

Expansion::Shifts read_shifts(JsonReader& reader) {
    Expansion::Shifts shifts{.dependent = read_projections(reader, "dependent"),
                             .independent = read_projections(reader, "independent"),
                             .loss_start = {},
                             .loss_end = {}};
    const Expansion::Projections& along = shifts.dependent;
    const Expansion::Projections& across = shifts.independent;
    const std::string& where = reader.where();
    const std::size_t images = along.before.size();
    check_length(where, "the part across", across.before.size(), images);
    check_length(where, "the part across", across.target.size(), along.target.size());
    check_length(where, "the targets", along.target.size(), images);
    check_length(where, "the part across", across.after.size(), along.after.size());
    check_length(where, "\"after\"", along.after.size(), images);
    if (const Json* json = reader.find("loss")) {
        JsonReader loss(*json, where + ".loss");
        shifts.loss_start = read_numbers(loss, "start");
        shifts.loss_end = read_numbers(loss, "end");
        check_length(loss.where(), "\"start\"", shifts.loss_start.size(), images);
        check_length(loss.where(), "\"end\"", shifts.loss_end.size(), images);
    }
    if (reader.find("iterations") != nullptr) shifts.iterations = read_whole(reader, "iterations");
    return shifts;
}

Expansion read_expansion(JsonReader& reader) {
    Expansion expansion{.step = read_whole(reader, "step")};
    expansion.unmoved = read_unmoved(reader);
    expansion.latent_moves = read_numbers_if_any(reader, "latent_move");
    expansion.seconds = read_number(reader, "seconds");
    if (reader.find("dependent") != nullptr) expansion.shifts = read_shifts(reader);
    check_images(reader.where(), expansion.shifts ? expansion.shifts->dependent.before.size() : 0,
                 expansion.latent_moves, expansion.unmoved.value_or(std::vector<Unmoved>()));
    return expansion;
}

Repulsion read_repulsion(JsonReader& reader) {
    Repulsion repulsion{.step = read_whole(reader, "step"),
                        .time = read_number(reader, "time"),
                        .likelihood = read_number(reader, "likelihood"),
                        .skipped = read_text_if_any(reader, "skipped")};
    if (repulsion.skipped.empty()) repulsion.latent_moves = read_numbers_if_any(reader, "latent_move");
    return repulsion;
}

Repellency read_repellency(JsonReader& reader) {
    return {.step = read_whole(reader, "step"),
            .time = read_number(reader, "time"),
            .radius = read_number(reader, "radius"),
            .active = read_number(reader, "active"),
            .latent_moves = read_numbers_if_any(reader, "latent_move")};
}

}  // namespace

Json to_json(const MethodStep& step) {
    return std::visit([](const auto& own) { return step_json(own); }, step);
}

Json to_json(const std::vector<MethodStep>& steps) {
    Json json = Json::array();
    for (const MethodStep& step : steps) json.push_back(to_json(step));
    return json;
}

std::optional<MethodStep> read_method_step(const Json& json, const std::string& where) {
    JsonReader reader(json, where);
    const std::string kind = read_text_if_any(reader, "kind");
    if (kind == "select") return read_selection(reader);
    if (kind == "push") return read_push(reader);
    if (kind == "repel") return read_repulsion(reader);
    if (kind == "shield") return read_repellency(reader);
    // The paper's method has one kind of step, which needs no name.
    const bool expands = reader.has("dependent") || reader.has("unmoved") || reader.has("latent_move");
    if (kind.empty() && expands) return read_expansion(reader);
    return std::nullopt;
}

std::vector<MethodStep> read_method_steps(const Json& json, const std::string& where) {
    std::vector<MethodStep> steps;
    std::size_t index = 0;
    for (const Json& one : read_array(json, where)) {
        if (auto step = read_method_step(one, fmt::format("{}[{}]", where, index++)))
            steps.push_back(*std::move(step));
    }
    return steps;
}

}  // namespace gass
