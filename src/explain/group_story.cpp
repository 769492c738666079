#include "explain/group_story.h"

#include "core/fail.h"
#include "core/quote.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

namespace gass::explain {
namespace {

// Far more than any real number of a report; arithmetic with them stays finite.
constexpr double kLargest = 1e12;

Number number(const Json& value, const std::string& where) {
    if (value.is_null()) return std::nullopt;
    if (!value.is_number())
        fail(ErrorCode::model_invalid, where, "expected a number, got {}", value.type_name());
    const double result = value.get<double>();
    if (!std::isfinite(result)) return std::nullopt;
    if (std::abs(result) > kLargest) fail(ErrorCode::model_invalid, where, "{} is too large", result);
    return result;
}

/// A member that may be missing.
Number number(JsonReader& reader, std::string_view key) {
    const Json* value = reader.find(key);
    return value == nullptr ? std::nullopt : number(*value, fmt::format("{}.{}", reader.where(), key));
}

std::uint64_t whole(const Json& value, const std::string& where) {
    if (!value.is_number_unsigned() && !(value.is_number_integer() && value.get<std::int64_t>() >= 0))
        fail(ErrorCode::model_invalid, where, "expected a whole number of 0 or more, got {}",
             in_quotes(value.dump(-1, ' ', true), 40));
    return value.get<std::uint64_t>();
}

const Json& array(const Json& value, const std::string& where) {
    if (!value.is_array())
        fail(ErrorCode::model_invalid, where, "expected an array, got {}", value.type_name());
    return value;
}

std::vector<Number> numbers(const Json& value, const std::string& where) {
    std::vector<Number> result;
    for (const Json& item : array(value, where)) result.push_back(number(item, where));
    return result;
}

std::vector<Number> numbers(JsonReader& reader, std::string_view key) {
    return numbers(reader.at(key), fmt::format("{}.{}", reader.where(), key));
}

/// The first number of each row: the projections on the strongest axis. Rows are empty where a group has no
/// axis.
std::vector<Number> first_column(JsonReader& reader, std::string_view key) {
    const std::string where = fmt::format("{}.{}", reader.where(), key);
    std::vector<Number> result;
    for (const Json& row : array(reader.at(key), where)) {
        const std::vector<Number> values = numbers(row, where);
        result.push_back(values.empty() ? std::nullopt : values.front());
    }
    return result;
}

void check_length(const std::string& where, std::string_view what, std::size_t length, std::size_t wanted) {
    if (length != wanted) {
        fail(ErrorCode::model_invalid, where, "{} has {} entries where {} are expected", what, length,
             wanted);
    }
}

std::optional<Place> place(Number along, Number across) {
    if (!along || !across) return std::nullopt;
    return Place{*along, *across};
}

std::vector<std::optional<Place>> places(const std::vector<Number>& along, const std::vector<Number>& across,
                                         const std::string& where) {
    check_length(where, "the part across", across.size(), along.size());
    std::vector<std::optional<Place>> result;
    for (std::size_t i = 0; i < along.size(); ++i) result.push_back(place(along[i], across[i]));
    return result;
}

Spread read_spread(const Json& json, const std::string& where) {
    JsonReader reader(json, where);
    return {.vendi = number(reader, "vendi"),
            .pairwise = number(reader, "pairwise"),
            .spp = number(reader, "spp"),
            .d_dep = number(reader, "d_dep"),
            .d_ind = number(reader, "d_ind"),
            .clip_score = number(reader, "clip_score"),
            .places = places(numbers(reader, "along"), numbers(reader, "across"), where)};
}

std::vector<Picture> read_pictures(const Json& json, const std::string& where) {
    std::vector<Picture> pictures;
    for (const Json& image : array(json, where)) {
        JsonReader reader(image, fmt::format("{}[{}]", where, pictures.size()));
        Picture picture{reader.string("file"), whole(reader.at("seed"), reader.where() + ".seed")};
        // Pictures lie beside the file that names them; one that leads elsewhere would show what is not ours.
        if (picture.file.empty() || picture.file == "." || picture.file == ".." ||
            picture.file.find_first_of(std::string_view("/\0", 2)) != std::string::npos) {
            fail(ErrorCode::model_invalid, reader.where(), "{} is no name of a file beside this one",
                 in_quotes(picture.file));
        }
        pictures.push_back(std::move(picture));
    }
    return pictures;
}

Fate fate_of(bool kept, std::string_view reason) {
    if (kept) return Fate::kept;
    if (reason.find("match") != std::string_view::npos) return Fate::less_matching;
    if (reason.find("volume") != std::string_view::npos) return Fate::less_volume;
    return Fate::other;
}

Candidate read_candidate(const Json& json, const std::string& where) {
    JsonReader reader(json, where);
    const Json& kept = reader.at("kept");
    if (!kept.is_boolean())
        fail(ErrorCode::model_invalid, where, "\"kept\" must be true or false, not {}", kept.type_name());
    Candidate candidate{.seed = whole(reader.at("seed"), where + ".seed"),
                        .place = place(number(reader, "along"), number(reader, "across")),
                        .fate = Fate::kept,
                        .reason = reader.find("reason") == nullptr ? "" : reader.string("reason")};
    candidate.fate = fate_of(kept.get<bool>(), candidate.reason);
    return candidate;
}

Selection read_selection(JsonReader& reader) {
    Selection selection{.step = whole(reader.at("step"), reader.where() + ".step"),
                        .time = number(reader, "time"),
                        .seconds = number(reader, "seconds"),
                        .candidates = {}};
    const std::string where = reader.where() + ".candidates";
    for (const Json& candidate : array(reader.at("candidates"), where)) {
        selection.candidates.push_back(
            read_candidate(candidate, fmt::format("{}[{}]", where, selection.candidates.size())));
    }
    return selection;
}

std::vector<Unmoved> read_unmoved(JsonReader& reader) {
    std::vector<Unmoved> result;
    const Json* json = reader.find("unmoved");
    if (json == nullptr) return result;
    const std::string where = reader.where() + ".unmoved";
    for (const Json& one : array(*json, where)) {
        JsonReader entry(one, fmt::format("{}[{}]", where, result.size()));
        result.push_back({whole(entry.at("image"), entry.where() + ".image"), entry.string("reason")});
    }
    return result;
}

/// What a push and an expansion have in common.
MoveStep read_step(JsonReader& reader, MoveStep::Kind kind) {
    MoveStep step;
    step.kind = kind;
    step.step = whole(reader.at("step"), reader.where() + ".step");
    step.time = number(reader, "time");
    step.seconds = number(reader, "seconds");
    step.unmoved = read_unmoved(reader);
    if (reader.find("skipped") != nullptr) step.skipped = reader.string("skipped");
    if (reader.find("energies") != nullptr) step.energies = numbers(reader, "energies");
    if (reader.find("latent_move") != nullptr) step.latent_moves = numbers(reader, "latent_move");
    return step;
}

void put_moves(MoveStep& step, const std::vector<std::optional<Place>>& before,
               const std::vector<std::optional<Place>>& target, const std::string& where) {
    check_length(where, "the targets", target.size(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i) step.moves.push_back({before[i], target[i], {}});
}

/// Every list of a step is of the same images.
void check_images(const MoveStep& step, const std::string& where) {
    const std::size_t images = step.images();
    if (!step.latent_moves.empty()) check_length(where, "latent_move", step.latent_moves.size(), images);
    // An expansion that moved nothing says no more than which images those are.
    if (step.moves.empty() && step.latent_moves.empty()) return;
    for (const Unmoved& one : step.unmoved) {
        if (one.image >= images)
            fail(ErrorCode::model_invalid, where, "\"unmoved\" names image {} of {}", one.image, images);
    }
}

MoveStep read_push(JsonReader& reader) {
    MoveStep step = read_step(reader, MoveStep::Kind::push);
    if (step.skipped.empty()) {
        const std::string& where = reader.where();
        put_moves(step, places(numbers(reader, "along"), first_column(reader, "before"), where),
                  places(numbers(reader, "target_along"), first_column(reader, "target"), where), where);
    }
    check_images(step, reader.where());
    return step;
}

MoveStep read_expansion(JsonReader& reader) {
    MoveStep step = read_step(reader, MoveStep::Kind::expansion);
    if (reader.find("dependent") != nullptr) {
        const std::string& where = reader.where();
        JsonReader along(reader.at("dependent"), where + ".dependent");
        JsonReader across(reader.at("independent"), where + ".independent");
        const auto both = [&](std::string_view key) {
            return places(numbers(along, key), numbers(across, key), where);
        };
        put_moves(step, both("before"), both("target"), where);
        const auto after = both("after");
        check_length(where, "\"after\"", after.size(), step.moves.size());
        for (std::size_t i = 0; i < after.size(); ++i) step.moves[i].after = after[i];
    }
    check_images(step, reader.where());
    return step;
}

void read_method_step(const Json& json, const std::string& where, GroupStory& story) {
    JsonReader reader(json, where);
    const std::string kind = reader.find("kind") == nullptr ? "" : reader.string("kind");
    if (kind == "select") {
        story.selections.push_back(read_selection(reader));
    } else if (kind == "push") {
        story.move_steps.push_back(read_push(reader));
    } else if (kind.empty() && (reader.has("dependent") || reader.has("unmoved"))) {
        story.move_steps.push_back(read_expansion(reader));
    }
}

}  // namespace

std::size_t Selection::count(Fate fate) const {
    return static_cast<std::size_t>(std::count_if(candidates.begin(), candidates.end(),
                                                  [&](const Candidate& one) { return one.fate == fate; }));
}

std::size_t MoveStep::images() const {
    if (!moves.empty()) return moves.size();
    return latent_moves.empty() ? unmoved.size() : latent_moves.size();
}

std::optional<std::uint64_t> GroupStory::seed_of(std::size_t image) const {
    if (image >= pictures.size()) return std::nullopt;
    return pictures[image].seed;
}

GroupStory read_story(const Json& group, std::string_view where) {
    JsonReader reader(group, where);
    const auto inside = [&](std::string_view key) { return fmt::format("{}: {}", where, key); };
    GroupStory story;
    if (reader.find("prompt") != nullptr) story.prompt = reader.string("prompt");
    if (const Json* settings = reader.find("settings")) {
        JsonReader own(*settings, inside("settings"));
        if (own.find("model") != nullptr) story.model = own.string("model");
        if (own.find("method") != nullptr) story.method = own.string("method");
    }
    if (const Json* images = reader.find("images")) story.pictures = read_pictures(*images, inside("images"));
    if (const Json* spread = reader.find("spread")) {
        story.spread = read_spread(*spread, inside("spread"));
        if (!story.pictures.empty())
            check_length(inside("spread"), "\"along\"", story.spread->places.size(), story.pictures.size());
    }
    if (const Json* steps = reader.find("method_steps")) {
        std::size_t index = 0;
        for (const Json& step : array(*steps, inside("method_steps")))
            read_method_step(step, inside(fmt::format("method_steps[{}]", index++)), story);
    }
    return story;
}

std::string short_method(std::string_view method) {
    const std::size_t colon = method.find(':');
    std::string name(method.substr(0, colon));
    if (colon == std::string_view::npos) return name;
    std::vector<std::string> parameters;
    for (std::string_view rest = method.substr(colon + 1); !rest.empty();) {
        const std::string_view item = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), item.size() + 1));
        std::string shown(item);
        std::replace(shown.begin(), shown.end(), '=', ' ');
        if (item.starts_with("strength=")) return name + ", " + shown;
        if (parameters.size() < 2) parameters.push_back(std::move(shown));
    }
    return parameters.empty() ? name : fmt::format("{}, {}", name, fmt::join(parameters, ", "));
}

std::string short_model(std::string_view model) {
    const std::filesystem::path path = model;
    return (path.has_filename() ? path : path.parent_path()).filename().string();
}

}  // namespace gass::explain
