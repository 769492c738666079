#include "tensor/random.h"

#include "tensor/tensor_file.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gass {
namespace {

TEST(Random, InitialNoiseIsBitEqualToPyTorch) {
    const auto file = std::make_shared<const SafetensorsFile>(GASS_FIXTURES_DIR "/tensors/noise.safetensors");
    ASSERT_GE(file->tensors().size(), 49U);
    for (const TensorInfo& tensor : file->tensors()) {
        const std::uint64_t seed = std::stoull(tensor.name.substr(0, tensor.name.find('/')));
        EXPECT_TRUE(at::equal(initial_noise(seed, tensor.shape), load_tensor({file, &tensor})))
            << tensor.name;
    }
}

TEST(Random, EachSeedAndPurposeHasItsOwnStream) {
    std::set<float> first_values;
    std::size_t streams = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        for (const Purpose purpose : {Purpose::initial_noise, Purpose::method}) {
            first_values.insert(at::rand({1}, make_stream(seed, purpose)).item<float>());
            ++streams;
        }
    }
    EXPECT_EQ(first_values.size(), streams);
}

TEST(Random, DrawingFromOneStreamShiftsNoOther) {
    at::Generator method = make_stream(5, Purpose::method);
    const at::Tensor before = at::randn({8}, make_stream(5, Purpose::initial_noise));
    const at::Tensor drawn = at::randn({1000}, method);
    EXPECT_TRUE(at::equal(before, at::randn({8}, make_stream(5, Purpose::initial_noise))));
    EXPECT_FALSE(at::equal(drawn.slice(0, 0, 8), before));
    EXPECT_TRUE(at::equal(drawn, at::randn({1000}, make_stream(5, Purpose::method))));
}

}  // namespace
}  // namespace gass
