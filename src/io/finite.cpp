#include "io/finite.h"

#include <cstring>

namespace gass {
namespace {

/// A float is NaN or infinite when all bits of its exponent are set. `mask` are the bits that must all be
/// set.
template <class Bits>
std::uint64_t count_with_mask(std::span<const std::byte> bytes, Bits mask) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i + sizeof(Bits) <= bytes.size(); i += sizeof(Bits)) {
        Bits value;  // a tensor in a file need not be aligned
        std::memcpy(&value, bytes.data() + i, sizeof(Bits));
        count += (value & mask) == mask ? 1 : 0;
    }
    return count;
}

}  // namespace

std::uint64_t count_non_finite(Dtype dtype, std::span<const std::byte> bytes) {
    switch (dtype) {
        case Dtype::F64:
            return count_with_mask<std::uint64_t>(bytes, 0x7FF0'0000'0000'0000U);
        case Dtype::F32:
        case Dtype::C64:
            return count_with_mask<std::uint32_t>(bytes, 0x7F80'0000U);
        case Dtype::F16:
            return count_with_mask<std::uint16_t>(bytes, 0x7C00U);
        case Dtype::BF16:
            return count_with_mask<std::uint16_t>(bytes, 0x7F80U);
        case Dtype::F8_E5M2:
            return count_with_mask<std::uint8_t>(bytes, 0x7CU);
        case Dtype::F8_E4M3:
            return count_with_mask<std::uint8_t>(bytes, 0x7FU);  // it has no infinity and one NaN
        default:
            return 0;
    }
}

}  // namespace gass
