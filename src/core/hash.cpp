#include "core/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace gass {

std::string hash_bytes(std::span<const std::byte> bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace gass
