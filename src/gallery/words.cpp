#include "gallery/words.h"

#include "core/wording.h"
#include "guidance/text/named_axes.h"
#include "record/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace gass::gallery {
namespace {

bool has_several_prompts(const Group& group) {
    return std::ranges::any_of(
        group.images, [&](const GroupImage& image) { return image.prompt != group.images.front().prompt; });
}

}  // namespace

std::string picture_label(const Group& group, std::size_t index) {
    const GroupImage& image = group.images.at(index);
    std::string label = fmt::format("seed {}", image.seed);
    if (group.record.variation) label += fmt::format(" → {}", group.record.variation->seed + image.place);
    if (has_several_prompts(group)) label += ": " + image.prompt;
    return label;
}

std::vector<std::string> axis_lines(const Record& record, const GroupImage& image) {
    const std::vector<AxisTexts> axes = parse_axes(record.settings.vary.value_or(""));
    std::vector<std::string> lines;
    for (std::size_t k = 0; k < std::min(axes.size(), image.axis_places.size()); ++k) {
        const long share = std::lround(50 * (image.axis_places[k] + 1));
        lines.push_back(share == 0     ? axes[k].from
                        : share == 100 ? axes[k].to
                                       : fmt::format("{} {} %", axes[k].to, share));
    }
    return lines;
}

std::string origin_line(const Record& record) {
    const RecordedSettings& settings = record.settings;
    return fmt::format("{} · {} · CFG {} · {}x{} · method {}", model_label(settings.model.value()),
                       counted(static_cast<std::uint64_t>(settings.steps.value()), "step"),
                       settings.cfg_scale.value(), settings.width.value(), settings.height.value(),
                       short_method(settings.method.value()));
}

std::vector<std::string> wish_lines(const Record& record) {
    const RecordedSettings& settings = record.settings;
    std::vector<std::string> lines;
    if (const std::string negative = settings.negative_prompt.value_or(""); !negative.empty())
        lines.push_back("without: " + negative);
    for (const AxisTexts& axis : parse_axes(settings.vary.value_or("")))
        lines.push_back(fmt::format("varied from “{}” to “{}”", axis.from, axis.to));
    if (record.variation)
        lines.push_back(fmt::format("variations of seed {}, strength {}", record.seeds.front(),
                                    record.variation->strength));
    if (const auto& start = record.start_image)
        lines.push_back(fmt::format("from {}, {:.0f} % made anew",
                                    std::filesystem::path(start->file).filename().string(),
                                    100 * start->strength));
    if (!record.shield.empty()) lines.push_back("kept away from " + counted(record.shield.size(), "picture"));
    return lines;
}

}  // namespace gass::gallery
