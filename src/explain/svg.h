#pragma once

#include "explain/scene.h"

#include <string>
#include <string_view>

namespace gass::explain {

/// How an SVG of ours begins after its first tag, so that a later one may replace it.
inline constexpr std::string_view kSvgMark = "<!-- gass explain -->";

std::string to_svg(const Scene& scene);

/// Any bytes as text of an XML document: markup escaped, U+FFFD for what XML cannot hold.
std::string xml_escaped(std::string_view text);

}  // namespace gass::explain
