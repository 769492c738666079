#include "io/safetensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace gass {
namespace {

template <class Element>
std::uint64_t count(Dtype dtype, const std::vector<Element>& values) {
    return count_non_finite(dtype, std::as_bytes(std::span(values)));
}

TEST(Finite, CountsNanAndInfinityOfEveryFloatType) {
    const double inf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(count<double>(Dtype::F64, {0, -1.5, inf, -inf, std::nan(""), 1e308, 5e-324}), 3U);
    EXPECT_EQ(count<float>(Dtype::F32, {0, std::numeric_limits<float>::max(),
                                        -std::numeric_limits<float>::infinity(), std::nanf("")}),
              2U);
    EXPECT_EQ(count<std::uint16_t>(Dtype::F16, {0, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E01}), 3U);
    EXPECT_EQ(count<std::uint16_t>(Dtype::BF16, {0, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FC0}), 3U);
    EXPECT_EQ(count<std::uint8_t>(Dtype::F8_E5M2, {0, 0x7B, 0xFB, 0x7C, 0xFC, 0x7F}), 3U);
    EXPECT_EQ(count<std::uint8_t>(Dtype::F8_E4M3, {0, 0x7E, 0xFE, 0x7F, 0xFF}), 2U);
    EXPECT_EQ(count<std::uint8_t>(Dtype::U8, {0x7F, 0xFF}), 0U);
    EXPECT_EQ(count<std::int64_t>(Dtype::I64, {-1}), 0U);
}

}  // namespace
}  // namespace gass
