#pragma once

#include <gass/group.h>

#include <cstddef>
#include <string>
#include <vector>

// What sheets and pages say of a set, for people.
namespace gass::gallery {

/// "seed 42", with the seed that it varies towards and, where the prompt has choices, its own text.
std::string picture_label(const Group& group, std::size_t index);

/// Where a picture lies on the axes that the user named, one line each: "at noon 67 %".
std::vector<std::string> axis_lines(const Record& record, const GroupImage& image);

/// Model, steps, guidance, size and method: "mini-flow · 28 steps · CFG 4.5 · 128x128 · method gass, strength
/// 0.5".
std::string origin_line(const Record& record);

/// What else the user may have asked for: what the images should not show, axes,
/// variations, pictures to keep away from.
std::vector<std::string> wish_lines(const Record& record);

}  // namespace gass::gallery
