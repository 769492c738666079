#include "engine/pixels.h"

#include <ATen/Functions.h>

#include <algorithm>

namespace gass {

std::vector<Image> to_images(const at::Tensor& images) {
    const at::Tensor levels = (images / 2 + 0.5).clamp(0, 1).mul(255).round();
    const at::Tensor rows = levels.to(at::kByte).permute({0, 2, 3, 1}).contiguous().cpu();  // [B, H, W, 3]
    std::vector<Image> pictures;
    for (std::int64_t i = 0; i < rows.size(0); ++i) {
        const auto* first = rows[i].const_data_ptr<std::uint8_t>();
        pictures.push_back({static_cast<std::uint32_t>(rows.size(2)),
                            static_cast<std::uint32_t>(rows.size(1)),
                            std::vector<std::uint8_t>(first, first + rows[i].numel())});
    }
    return pictures;
}

at::Tensor from_image(const Image& image) {
    const std::vector<std::int64_t> shape{1, image.height, image.width, 3};
    const at::Tensor levels = at::empty(shape, at::kByte);
    std::ranges::copy(image.rgb, levels.mutable_data_ptr<std::uint8_t>());
    return levels.permute({0, 3, 1, 2}).to(at::kFloat) / 127.5 - 1;
}

}  // namespace gass
