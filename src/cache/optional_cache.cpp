#include "cache/optional_cache.h"

#include "core/log.h"

#include <gass/error.h>

namespace gass {

template <class Action>
void OptionalCache::unless_it_fails(Action action) {
    const std::lock_guard alone(use_);
    try {
        action();
    } catch (const Error& error) {
        log::warn("features are not kept: {}", error.what());
        cache_.reset();
    }
}

OptionalCache::OptionalCache(const std::filesystem::path& path) {
    unless_it_fails([&] { cache_ = std::make_unique<FeatureCache>(path); });
}

OptionalCache::OptionalCache(Usual) {
    unless_it_fails([&] { cache_ = std::make_unique<FeatureCache>(FeatureCache::default_path()); });
}

bool OptionalCache::is_on() const {
    const std::lock_guard alone(use_);
    return cache_ != nullptr;
}

std::vector<std::optional<std::vector<float>>> OptionalCache::find(std::span<const FeatureKey> keys) {
    std::vector<std::optional<std::vector<float>>> found(keys.size());
    unless_it_fails([&] {
        if (cache_ != nullptr) found = cache_->find(keys);
    });
    return found;
}

void OptionalCache::store(std::span<const std::pair<FeatureKey, std::vector<float>>> entries) {
    unless_it_fails([&] {
        if (cache_ != nullptr && !entries.empty()) cache_->store(entries);
    });
}

}  // namespace gass
