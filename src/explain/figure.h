#pragma once

#include "explain/group_story.h"
#include "io/image.h"
#include "plot/scene.h"
#include "record/recorded_group.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gass::explain {

/// The pictures of a group as small as they are shown, none where a file cannot be read; `unreadable` then
/// tells which and why. None at all for groups of so many that there is no room for pictures.
std::vector<std::optional<Image>> read_thumbnails(const std::filesystem::path& folder,
                                                  const std::vector<RecordedPicture>& pictures,
                                                  std::vector<std::string>& unreadable);

/// Draws what a method did: the selection, the moves, the finished images, as far as the story tells of them.
/// `thumbnails`: one for each picture of the group.
plot::Scene draw_figure(const GroupStory& story, const std::vector<std::optional<Image>>& thumbnails);

/// "SPP 0.122 (along 0.024, across 0.098) · Vendi 4.50 of 8 · pairwise 0.506 · CLIPScore 0.384"
std::string spread_line(const Spread& spread);

/// "mini-flow · gass, strength 0.5"
std::string origin_line(const GroupStory& story);

}  // namespace gass::explain
