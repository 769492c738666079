#include "metrics/numpy_random.h"

#include <ATen/ATen.h>

#include <bit>
#include <cassert>
#include <limits>
#include <utility>

namespace gass {

std::uint32_t NumpyRandom::up_to(std::uint32_t most) {
    const std::uint32_t mask =
        most == 0 ? 0 : std::numeric_limits<std::uint32_t>::max() >> std::countl_zero(most);
    for (;;) {
        const auto drawn = static_cast<std::uint32_t>(engine_()) & mask;
        if (drawn <= most) return drawn;
    }
}

at::Tensor NumpyRandom::choice(std::int64_t count, std::int64_t chosen) {
    assert(chosen <= count && count <= std::numeric_limits<std::uint32_t>::max());
    at::Tensor order = at::arange(count, at::kLong);
    auto* places = order.mutable_data_ptr<std::int64_t>();
    // numpy shuffles all of them, from the end, and takes the first.
    for (std::int64_t i = count - 1; i > 0; --i)
        std::swap(places[i], places[up_to(static_cast<std::uint32_t>(i))]);
    return order.narrow(0, 0, chosen).clone();
}

}  // namespace gass
