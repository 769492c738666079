#pragma once

#include "cache/feature_cache.h"

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace gass {

/// The feature cache as a measurement uses it: what goes wrong with it is said once, and it is off from then
/// on, since everything can be computed without it. For several threads.
class OptionalCache {
  public:
    /// Off.
    OptionalCache() = default;
    /// Off, with a warning, if it cannot be opened.
    explicit OptionalCache(const std::filesystem::path& path);
    /// The user's own.
    static OptionalCache of_user() { return OptionalCache(Usual{}); }

    bool is_on() const;
    /// Nothing for each key if it is off.
    std::vector<std::optional<std::vector<float>>> find(std::span<const FeatureKey> keys);
    void store(std::span<const std::pair<FeatureKey, std::vector<float>>> entries);

  private:
    struct Usual {};
    explicit OptionalCache(Usual);
    template <class Action>
    void unless_it_fails(Action action);

    mutable std::mutex use_;
    std::unique_ptr<FeatureCache> cache_;
};

}  // namespace gass
