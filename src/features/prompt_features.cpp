#include "features/prompt_features.h"

#include "core/hash.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

namespace gass {

at::Tensor PromptFeatures::of(const std::vector<std::string>& prompts) {
    if (!encoder_.reads_text()) return {};
    const bool all_alike = std::ranges::adjacent_find(prompts, std::ranges::not_equal_to()) == prompts.end();
    if (all_alike) return of(prompts.front());
    std::vector<at::Tensor> each;
    for (const std::string& prompt : prompts) each.push_back(of(prompt));
    return at::stack(each);
}

const at::Tensor& PromptFeatures::of(const std::string& prompt) {
    const auto known = known_.find(prompt);
    if (known != known_.end()) return known->second;
    return known_.emplace(prompt, through_cache(prompt)).first->second;
}

at::Tensor PromptFeatures::through_cache(const std::string& prompt) {
    if (cache_ == nullptr || !cache_->is_on()) return encoder_.encode_text(prompt);
    const FeatureKey key{hash_text(prompt), encoder_.fingerprint(), "text"};
    if (const auto known = cache_->find(std::span(&key, 1)).front();
        known && known->size() == static_cast<std::size_t>(encoder_.dimension()))
        return at::tensor(*known, at::kFloat);
    const at::Tensor feature = encoder_.encode_text(prompt).contiguous();
    const auto* values = feature.const_data_ptr<float>();
    const std::pair<FeatureKey, std::vector<float>> entry{
        key, std::vector<float>(values, values + feature.numel())};
    cache_->store(std::span(&entry, 1));
    return feature;
}

}  // namespace gass
