#pragma once

#include <gass/record.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gass {

struct RecordedPicture {
    std::string file;  ///< a name beside group.json
    std::uint64_t seed = 0;
};

/// What group.json tells of how a set came about; it may leave out any of it.
struct RecordedGroup {
    std::string prompt;
    std::string model;
    std::string method;  ///< with every parameter: "gass:strength=0.5,…"
    std::vector<RecordedPicture> pictures;
    std::optional<Spread> spread;
    std::vector<MethodStep> method_steps;
};

}  // namespace gass
