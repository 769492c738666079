#pragma once

#include "explain/panel.h"
#include "io/image.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gass::explain {

/// The longer side of a picture in a figure.
inline constexpr std::uint32_t kThumbnailSide = 64;

/// The candidates, kept and dropped.
Panel selection_panel(const Selection& selection);

/// Where images stood and where they were to go, in the first and the last step that moved any. None if no
/// step has places to show.
std::vector<Panel> move_panels(const GroupStory& story);

/// The finished images at their places; `thumbnails`, one for each, are grey where there is no image.
Panel pictures_panel(const GroupStory& story, const std::vector<std::optional<Image>>& thumbnails);

}  // namespace gass::explain
