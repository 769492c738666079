#pragma once

#include <gass/engine.h>
#include <gass/error.h>
#include <gass/group.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace gass {

/// Makes a picture of a set again, with the set around it, or a whole set.
struct ReproduceOrder {
    std::filesystem::path file;  ///< the picture, or the set's folder
    // In place of what its record says; empty: as it was.
    std::string model;
    std::string device;
    std::string dtype;
    std::string guide;
    std::string method;            ///< another method gives the set's twin
    std::filesystem::path output;  ///< where the set goes; empty: nowhere
};

struct Reproduction {
    std::string file;
    std::size_t index = 0;  ///< of the picture in its set
    std::size_t images = 0;
    std::uint64_t seed = 0;
    bool is_twin = false;  ///< made by another method, and not meant to be the same
    bool same_bytes = false;
    int largest_difference = 0;        ///< of a pixel's values, in levels
    double share_of_values = 0.0;      ///< that differ
    std::string encoder = {};          ///< of the picture's format, if it changes pixels: "WebP"
    std::vector<std::string> changes;  ///< what was not the same this time, in words
};

/// Throws model_invalid for a picture without a record, or with one that cannot be made: that is the
/// picture's fault, unless the order wants it otherwise than it was. `loaded` is called before the set is
/// made, and gives what watches it.
std::vector<Reproduction> reproduce(const ReproduceOrder& order, const std::function<Events()>& loaded);

}  // namespace gass
