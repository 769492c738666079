#pragma once

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace gass {

/// What `map` makes of rows [B, …], so many at a time.
template <class Map>
at::Tensor in_chunks(const at::Tensor& rows, std::int64_t chunk, const Map& map) {
    std::vector<at::Tensor> results;
    for (const at::Tensor& part : rows.split(chunk)) results.push_back(map(part));
    return results.size() == 1 ? results.front() : at::cat(results);
}

}  // namespace gass
