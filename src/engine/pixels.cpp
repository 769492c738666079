#include "engine/pixels.h"

#include <ATen/Functions.h>

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

}  // namespace gass
