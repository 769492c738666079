#include "explain/thumbnails.h"

#include "explain/scene.h"
#include "sheet/resize.h"

#include <gass/error.h>

#include <algorithm>
#include <cmath>

namespace gass::explain {

Image fitted(const Image& image, std::uint32_t side) {
    const std::uint32_t longer = std::max(image.width, image.height);
    const auto scaled = [&](std::uint32_t length) {
        return std::max<std::uint32_t>(
            1, static_cast<std::uint32_t>(std::lround(static_cast<double>(length) * side / longer)));
    };
    // Small ones grow by a whole factor first, since reducing cannot enlarge.
    const std::uint32_t factor = (side + longer - 1) / longer;
    if (factor > 1) return reduced(enlarged(image, factor), scaled(image.width), scaled(image.height));
    return reduced(image, scaled(image.width), scaled(image.height));
}

Image at_most(const Image& image, std::uint32_t side) {
    return std::max(image.width, image.height) > side ? fitted(image, side) : image;
}

std::vector<std::optional<Image>> read_thumbnails(const std::filesystem::path& folder,
                                                  const std::vector<RecordedPicture>& pictures,
                                                  std::vector<std::string>& unreadable) {
    constexpr std::size_t kMostPictures = 256;
    std::vector<std::optional<Image>> thumbnails(pictures.size());
    if (pictures.size() > kMostPictures) return thumbnails;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        try {
            thumbnails[i] =
                fitted(read_image(folder / pictures[i].file).image, kThumbnailSide * kPixelsPerUnit);
        } catch (const Error& error) {
            unreadable.emplace_back(error.what());
        }
    }
    return thumbnails;
}

}  // namespace gass::explain
