#include "explain_summary.h"

#include "core/optional_number.h"
#include "core/quote.h"
#include "core/wording.h"
#include "explain/figure.h"
#include "explain/unmoved.h"
#include "output.h"
#include "record/candidate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace gass::cli {
namespace {

using explain::GroupStory;
using explain::MoveStep;
using explain::Number;

std::string figure(Number number, int decimals) {
    return number ? fmt::format("{:.{}f}", *number, decimals) : "";
}

/// Reasons and how many candidates were dropped for them, in the order they come.
std::vector<std::pair<std::string, std::size_t>> dropped(const Selection& selection) {
    std::vector<std::pair<std::string, std::size_t>> result;
    std::map<std::string_view, std::size_t> rows;
    for (const Candidate& candidate : selection.candidates) {
        if (is_kept(candidate.fate)) continue;
        const std::string_view reason = reason_of(candidate);
        const auto [row, is_new] = rows.try_emplace(reason, result.size());
        if (is_new) result.emplace_back(reason, 0);
        ++result[row->second].second;
    }
    return result;
}

/// Mean and largest of the relative moves that are known.
struct Moves {
    Number mean, largest;
};

Moves moves_of(const MoveStep& step) {
    Moves moves;
    double sum = 0;
    std::size_t count = 0;
    for (const Number& move : step.latent_moves) {
        if (!move) continue;
        sum += *move;
        ++count;
        moves.largest = std::max(moves.largest.value_or(*move), *move);
    }
    if (count > 0) moves.mean = sum / static_cast<double>(count);
    return moves;
}

std::size_t moved_count(const MoveStep& step) {
    if (!step.skipped.empty()) return 0;
    return step.images() - std::min(step.images(), step.unmoved.size());
}

const char* kind_of(const MoveStep& step) {
    return step.kind == MoveStep::Kind::push ? "push" : "expansion";
}

std::string selection_text(const Selection& selection) {
    std::vector<std::string> lost;
    for (const auto& [reason, count] : dropped(selection))
        lost.push_back(fmt::format("{}: {}", count, reason.empty() ? "no reason given" : reason));
    const std::size_t kept = count_kept(selection);
    std::string text = fmt::format("selection at step {}: {} of {} kept", selection.step, kept,
                                   counted(selection.candidates.size(), "candidate"));
    if (selection.seconds) text += fmt::format(", {:.2f} s", *selection.seconds);
    text += "\n";
    if (!lost.empty()) text += fmt::format("  dropped {}\n", fmt::join(lost, "; "));
    return text;
}

std::string steps_text(const GroupStory& story) {
    Table table({"move", "step", "time", "energies", "mean move", "largest", "moved", "seconds"});
    for (const MoveStep& step : story.move_steps) {
        std::vector<std::string> energies;
        for (std::size_t i = 0; i < std::min<std::size_t>(2, step.energies.size()); ++i)
            energies.push_back(figure(step.energies[i], 3));
        const auto [mean, largest] = moves_of(step);
        table.add(
            {kind_of(step), std::to_string(step.step), figure(step.time, 3),
             fmt::format("{}", fmt::join(energies, " ")), figure(mean, 4), figure(largest, 4),
             step.skipped.empty() ? fmt::format("{} of {}", moved_count(step), step.images()) : "skipped",
             figure(step.seconds, 2)});
    }
    std::string text = table.text();
    for (const MoveStep& step : story.move_steps) {
        if (!step.skipped.empty()) text += fmt::format("step {} was skipped: {}\n", step.step, step.skipped);
    }
    return text;
}

/// "step 3", "steps 0, 2, 5–7"
std::string steps_label(const std::vector<std::uint64_t>& steps) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < steps.size();) {
        std::size_t last = i;
        while (last + 1 < steps.size() && steps[last + 1] == steps[last] + 1) ++last;
        parts.push_back(last == i ? std::to_string(steps[i]) : fmt::format("{}–{}", steps[i], steps[last]));
        i = last + 1;
    }
    return fmt::format("{} {}", steps.size() == 1 ? "step" : "steps", fmt::join(parts, ", "));
}

/// One line for each reason and the steps it held in, whatever the number of images.
std::string unmoved_text(const GroupStory& story) {
    std::map<std::pair<std::size_t, std::string>, std::vector<std::uint64_t>> steps_of;  // by image, reason
    for (const MoveStep& step : story.move_steps) {
        for (const Unmoved& one : step.unmoved) steps_of[{one.image, one.reason}].push_back(step.step);
    }
    std::vector<explain::UnmovedGroup> lines;  // in the order of their first image
    std::map<std::pair<std::string, std::string>, std::size_t> line_of;
    for (const auto& [key, steps] : steps_of) {
        const auto [line, is_new] = line_of.try_emplace({key.second, steps_label(steps)}, lines.size());
        if (is_new) lines.push_back({fmt::format("{}: {}", line->first.second, key.second), {}});
        lines[line->second].images.push_back(key.first);
    }
    std::string text;
    for (const explain::UnmovedGroup& line : lines)
        text +=
            fmt::format("{} did not move at {}\n", explain::named_images(story, line.images), line.reason);
    return text;
}

Json selection_json(const Selection& selection) {
    Json reasons = Json::array();
    for (const auto& [reason, count] : dropped(selection))
        reasons.push_back({{"reason", reason}, {"count", count}});
    return {{"step", selection.step},
            {"time", or_null(selection.time)},
            {"candidates", selection.candidates.size()},
            {"kept", count_kept(selection)},
            {"dropped", std::move(reasons)},
            {"seconds", or_null(selection.seconds)}};
}

Json step_json(const GroupStory& story, const MoveStep& step) {
    const auto [mean, largest] = moves_of(step);
    Json energies = Json::array();
    for (const Number& energy : step.energies) energies.push_back(or_null(energy));
    Json unmoved = Json::array();
    for (const Unmoved& one : step.unmoved) {
        const auto seed = story.seed_of(one.image);
        unmoved.push_back(
            {{"image", one.image}, {"seed", seed ? Json(*seed) : Json(nullptr)}, {"reason", one.reason}});
    }
    Json json{{"kind", kind_of(step)},
              {"step", step.step},
              {"time", or_null(step.time)},
              {"energies", std::move(energies)},
              {"latent_move", {{"mean", or_null(mean)}, {"max", or_null(largest)}}},
              {"moved", moved_count(step)},
              {"unmoved", std::move(unmoved)},
              {"seconds", or_null(step.seconds)}};
    if (!step.skipped.empty()) json["skipped"] = step.skipped;
    return json;
}

}  // namespace

std::string explain_text(const GroupStory& story) {
    std::string text = in_quotes(story.prompt) + "\n";
    if (const std::string origin = explain::origin_line(story); !origin.empty()) text += origin + "\n";
    if (story.spread) text += explain::spread_line(*story.spread) + "\n";
    for (const Selection& selection : story.selections) text += "\n" + selection_text(selection);
    if (!story.move_steps.empty()) text += "\n" + steps_text(story);
    if (const std::string unmoved = unmoved_text(story); !unmoved.empty()) text += "\n" + unmoved;
    return text;
}

Json explain_json(const GroupStory& story) {
    Json json{
        {"prompt", story.prompt}, {"model", story.model}, {"method", story.method}, {"spread", nullptr}};
    if (const auto& spread = story.spread) {
        json["spread"] = {
            {"spp", or_null(spread->spp)},           {"d_dep", or_null(spread->d_dep)},
            {"d_ind", or_null(spread->d_ind)},       {"vendi", or_null(spread->vendi)},
            {"pairwise", or_null(spread->pairwise)}, {"clip_score", or_null(spread->clip_score)},
            {"images", spread->along.size()}};
    }
    json["selections"] = Json::array();
    for (const Selection& selection : story.selections)
        json["selections"].push_back(selection_json(selection));
    json["steps"] = Json::array();
    for (const MoveStep& step : story.move_steps) json["steps"].push_back(step_json(story, step));
    return json;
}

}  // namespace gass::cli
