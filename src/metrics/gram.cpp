#include "metrics/gram.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>

namespace gass {

void add_upper_products(at::Tensor& sums, const at::Tensor& rows) {
    constexpr std::int64_t kColumns = 256;
    const std::int64_t width = rows.size(1);
    for (std::int64_t first = 0; first < width; first += kColumns) {
        const std::int64_t columns = std::min(kColumns, width - first);
        sums.narrow(0, first, columns)
            .narrow(1, first, width - first)
            .addmm_(rows.narrow(1, first, columns).t(), rows.narrow(1, first, width - first));
    }
}

}  // namespace gass
