#include "measure/gather.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace gass {
namespace {

std::vector<PictureInput> pictures_of(const ImageSet& set) {
    std::vector<PictureInput> pictures;
    for (const ImageGroup& group : set.groups) {
        for (const MeasuredImage& image : group.images) pictures.push_back({image.file, image.picture});
    }
    return pictures;
}

/// Takes pictures out of a set; groups without pictures go too.
void keep_only(ImageSet& set, const std::vector<std::size_t>& kept) {
    std::size_t index = 0;
    auto next = kept.begin();
    for (ImageGroup& group : set.groups) {
        std::erase_if(group.images, [&](const MeasuredImage&) {
            const bool is_kept = next != kept.end() && *next == index++;
            if (is_kept) ++next;
            return !is_kept;
        });
    }
    std::erase_if(set.groups, [](const ImageGroup& group) { return group.images.empty(); });
}

}  // namespace

Gathered gather_features(ImageSet& set, const FeatureSource& source, const ExtractOptions& options) {
    Extracted extracted = extract_features(pictures_of(set), source, options);
    keep_only(set, extracted.files);
    Gathered gathered{{}, std::exchange(set.unreadable, {}), extracted.from_cache};
    std::ranges::move(extracted.unreadable, std::back_inserter(gathered.unreadable));
    std::int64_t first = 0;
    for (const ImageGroup& group : set.groups) {
        const auto count = static_cast<std::int64_t>(group.images.size());
        GroupFeatures& features = gathered.groups.emplace_back(
            GroupFeatures{group.name, extracted.features.narrow(0, first, count), {}});
        for (const MeasuredImage& image : group.images) features.files.push_back(image.file);
        first += count;
    }
    return gathered;
}

std::vector<std::string> prompts_of(const ImageSet& set) {
    std::vector<std::string> prompts;
    for (const ImageGroup& group : set.groups) {
        for (const MeasuredImage& image : group.images) prompts.push_back(image.prompt);
    }
    return prompts;
}

}  // namespace gass
