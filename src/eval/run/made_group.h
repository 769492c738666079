#pragma once

#include "core/json.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gass::eval {

struct GroupFile {
    std::string name;  ///< "0000.png"
    std::vector<std::byte> bytes;
};

/// What a network made of a group's images, a row for each.
struct ImageFeatures {
    std::string encoder;  ///< stands for the network and how pictures are prepared for it
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<float> numbers;  ///< [rows][columns]
};

/// A finished group on its way from whoever made it to the store.
struct MadeGroup {
    Json record = Json::object();  ///< what its group.json says
    std::vector<GroupFile> files;  ///< pictures and group.json; empty: nobody wants to see them
    std::vector<ImageFeatures> features;
};

/// As bytes, for another process. `from_bytes` throws failure for anything but what `to_bytes` gave.
std::vector<std::uint8_t> to_bytes(const MadeGroup& group);
MadeGroup made_group_from_bytes(const std::vector<std::uint8_t>& bytes);

}  // namespace gass::eval
