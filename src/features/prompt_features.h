#pragma once

#include "cache/optional_cache.h"
#include "features/encoder.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

namespace gass {

/// What an encoder makes of prompts; it reads each once.
class PromptFeatures {
  public:
    /// Both must outlive this; nullptr: nothing is taken from a cache, nor kept there.
    explicit PromptFeatures(const FeatureEncoder& encoder, OptionalCache* cache = nullptr)
        : encoder_(encoder), cache_(cache) {}

    /// [d] if they are all the same, else [n, d]. Undefined if the encoder reads no texts.
    at::Tensor of(const std::vector<std::string>& prompts);

  private:
    const at::Tensor& of(const std::string& prompt);
    at::Tensor through_cache(const std::string& prompt);

    const FeatureEncoder& encoder_;
    OptionalCache* cache_;
    std::map<std::string, at::Tensor> known_;
};

}  // namespace gass
