#include "explain/unmoved.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace gass::explain {

std::vector<UnmovedGroup> by_reason(const MoveStep& step) {
    std::vector<UnmovedGroup> groups;
    std::map<std::string_view, std::size_t> group_of;
    for (const Unmoved& one : step.unmoved) {
        const auto [found, is_new] = group_of.try_emplace(one.reason, groups.size());
        if (is_new) groups.push_back({one.reason, {}});
        groups[found->second].images.push_back(one.image);
    }
    return groups;
}

std::string named_images(const GroupStory& story, const std::vector<std::size_t>& images) {
    constexpr std::size_t kMostNamed = 12;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(images.size(), kMostNamed); ++i) {
        const auto seed = story.seed_of(images[i]);
        names.push_back(seed ? fmt::format("{} (seed {})", images[i], *seed) : std::to_string(images[i]));
    }
    std::string text = fmt::format("{} {}", images.size() == 1 ? "image" : "images", fmt::join(names, ", "));
    if (images.size() > kMostNamed) text += fmt::format(" and {} more", images.size() - kMostNamed);
    return text;
}

}  // namespace gass::explain
