#pragma once

#include "catalog/model.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// What a full check of a model folder found.
struct Verification {
    std::vector<std::string> problems;  // each "[where] what"; none: the model is sound
    std::uint64_t files = 0;
    std::uint64_t tensors = 0;
    std::uint64_t parameters = 0;

    bool ok() const { return problems.empty(); }
};

/// Reads every file of a model, each weight among them: nothing leads out of the folder, every JSON file and
/// every safetensors file is sound, no value is NaN or infinite, the tokenizers load, and what gass.json
/// names exists. Goes on after a problem, so that one run shows them all. `check_network`, where given, sees
/// every network too and throws what is wrong with it.
using NetworkCheck = std::function<void(const ModelComponent&)>;
Verification verify_model(const ModelLocation& location, std::string_view variant = {},
                          const NetworkCheck& check_network = {});

}  // namespace gass
