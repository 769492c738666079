#pragma once

#include "io/image.h"
#include "record/recorded_group.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace gass::explain {

/// The longer side of a picture in a scene.
inline constexpr std::uint32_t kThumbnailSide = 64;

/// The whole picture at a size whose longer side is `side` pixels.
Image fitted(const Image& image, std::uint32_t side);

/// The picture itself, or reduced to a longer side of `side` pixels if it is larger.
Image at_most(const Image& image, std::uint32_t side);

/// The pictures of a group as small as they are shown, none where a file cannot be read; `unreadable` then
/// tells which and why. None at all for groups of so many that there is no room for pictures.
std::vector<std::optional<Image>> read_thumbnails(const std::filesystem::path& folder,
                                                  const std::vector<RecordedPicture>& pictures,
                                                  std::vector<std::string>& unreadable);

}  // namespace gass::explain
