#pragma once

#include "cache/optional_cache.h"
#include "eval/making/encoders.h"
#include "measure/images/image_set.h"
#include "measure/measure_features.h"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace gass::eval {

/// The real pictures of a suite, as its networks see them: those of a folder, a class in each folder below
/// it, or embeddings that an encoder brings with it.
class Reference {
  public:
    /// Finds the pictures; opens none yet. Throws as find_images does.
    explicit Reference(const SuiteReference& reference);

    bool is_given() const { return set_ || !encoder_.empty(); }
    /// What a network makes of each class; no groups if this reference has nothing for it. Pictures that
    /// cannot be read are left out, and said once. `advance`: pictures that are done, of all.
    const ReferenceFeatures& features(const Encoder& encoder,
                                      const std::function<void(std::size_t, std::size_t)>& advance,
                                      const std::function<bool()>& should_stop);

  private:
    ReferenceFeatures from_pictures(const Encoder& encoder,
                                    const std::function<void(std::size_t, std::size_t)>& advance,
                                    const std::function<bool()>& should_stop) const;

    std::string name_;
    std::optional<ImageSet> set_;
    std::string encoder_;
    std::map<std::string, ReferenceFeatures> known_;  // by an encoder's key
};

/// The embeddings that an encoder brings with it: reference.safetensors beside its weights has `embeddings`
/// [n, d] and `class` [n], numbers of the "classes" in its config.json; −1 is of none. Throws model_invalid
/// if they are not there.
std::vector<GroupFeatures> embeddings_of(const std::string& encoder);

}  // namespace gass::eval
