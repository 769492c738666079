#include "measure/images/image_set.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "measure/images/found_group.h"
#include "measure/images/image_list.h"
#include "measure/images/image_places.h"
#include "measure/images/prompt_table.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace gass {
namespace {

/// The last part of a group's name in words: "n01440764/tabby_cat" is "tabby cat".
std::string class_of(std::string_view name) {
    std::string words(name.substr(name.rfind('/') + 1));  // npos + 1 is 0
    std::ranges::replace(words, '_', ' ');
    return words;
}

void give_one_prompt(std::vector<FoundGroup>& groups, const std::string& prompt) {
    if (!is_utf8(prompt)) fail(ErrorCode::usage, SettingKey("prompt"), "the text is not UTF-8");
    for (FoundGroup& group : groups) {
        const std::string own = with_replaced(prompt, "{class}", class_of(group.name));
        for (MeasuredImage& image : group.images) image.prompt = own;
    }
}

/// Pictures in memory, called by their places in the request.
FoundGroup group_of(std::span<const Image> pictures) {
    FoundGroup group{"pictures", "pictures", {}, false, {}};
    for (std::size_t i = 0; i < pictures.size(); ++i)
        group.images.push_back({fmt::format("pictures[{}]", i), "", &pictures[i]});
    return group;
}

/// A prompt as a name: one line of bounded length.
std::string name_of_prompt(std::string_view prompt) {
    if (prompt.empty()) return "no prompt";
    constexpr std::size_t kLongest = 80;
    std::string name;
    while (!prompt.empty() && name.size() < kLongest) {
        const std::size_t length = std::max<std::size_t>(utf8_sequence_length(prompt), 1);
        name += prompt.substr(0, length);
        prompt.remove_prefix(length);
    }
    if (!prompt.empty()) name += "…";
    std::ranges::replace(name, '\n', ' ');
    return printable(name);
}

/// Groups in which every image has the same prompt, in the order in which the prompts first come.
std::vector<FoundGroup> by_prompt(std::vector<FoundGroup> groups) {
    const bool is_only = groups.size() == 1;
    std::vector<FoundGroup> result;
    for (FoundGroup& group : groups) {
        std::map<std::string, std::size_t> places;
        for (const MeasuredImage& image : group.images) places.try_emplace(image.prompt, places.size());
        if (places.size() == 1 || group.sampled_together) {
            result.push_back(std::move(group));
            continue;
        }
        const std::size_t first = result.size();
        result.resize(first + places.size());
        for (const auto& [prompt, place] : places) {
            const std::string name = name_of_prompt(prompt);
            result[first + place].name = is_only ? name : fmt::format("{}: {}", group.name, name);
            result[first + place].full_name = fmt::format("{}: {}", group.full_name, name);
        }
        for (MeasuredImage& image : group.images)
            result[first + places.at(image.prompt)].images.push_back(std::move(image));
    }
    return result;
}

/// Groups of the same name take their full one; those that even share that are numbered.
void make_names_unique(std::vector<FoundGroup>& groups) {
    std::map<std::string, std::size_t> counts;
    for (const FoundGroup& group : groups) ++counts[group.name];
    for (FoundGroup& group : groups) {
        if (counts.at(group.name) > 1) group.name = group.full_name;
    }
    std::set<std::string> taken;
    std::map<std::string, std::size_t> numbers;
    for (FoundGroup& group : groups) {
        const std::string name = group.name;
        while (!taken.insert(group.name).second)
            group.name = fmt::format("{} ({})", name, ++numbers[name] + 1);
    }
}

}  // namespace

std::size_t ImageSet::image_count() const {
    std::size_t count = 0;
    for (const ImageGroup& group : groups) count += group.images.size();
    return count;
}

ImageSet find_images(const ImageSetRequest& request) {
    if (request.prompt && !request.prompt_file.empty())
        fail(ErrorCode::usage, SettingKey("prompt"), "give a prompt or a `prompt_file`, not both");
    if (request.prompt && request.prompt->empty()) fail(ErrorCode::usage, SettingKey("prompt"), "is empty");
    FoundGroups everything = request.pictures.empty() ? groups_at(request.places, request.where)
                                                      : FoundGroups{{group_of(request.pictures)}, {}};
    std::vector<FoundGroup>& found = everything.groups;
    if (request.prompt) give_one_prompt(found, *request.prompt);
    if (!request.prompt_file.empty()) give_prompts(found, request.prompt_file);

    ImageSet set{{}, std::move(everything.unreadable)};
    if (request.pooled) {
        ImageGroup& all = set.groups.emplace_back(ImageGroup{"all", {}});
        for (FoundGroup& group : found) std::ranges::move(group.images, std::back_inserter(all.images));
        return set;
    }
    found = by_prompt(std::move(found));
    make_names_unique(found);
    for (FoundGroup& group : found) set.groups.push_back({std::move(group.name), std::move(group.images)});
    return set;
}

}  // namespace gass
