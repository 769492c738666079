#include "io/resample.h"

#include "features/features_fixture.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gass {
namespace {

Filter filter_named(const std::string& name) {
    for (const Filter filter : {Filter::bilinear, Filter::bicubic, Filter::lanczos}) {
        if (to_string(filter) == name) return filter;
    }
    ADD_FAILURE() << "no filter " << name;
    return Filter::bilinear;
}

TEST(Resample, EqualsPillowToTheBit) {
    const auto resizes = test::fixture_tensors("resizes.safetensors");
    ASSERT_GT(resizes.size(), 100U);
    for (const auto& [name, expected] : resizes) {
        const std::vector<std::string> parts = test::name_parts(name);
        const Image resized = resize(test::fixture_picture(parts.at(0)), {expected.size(0), expected.size(1)},
                                     filter_named(parts.at(1)));
        const at::Tensor levels =
            at::from_blob(const_cast<std::uint8_t*>(resized.rgb.data()), expected.sizes(), at::kByte);
        EXPECT_TRUE(at::equal(levels, expected)) << name;
    }
}

TEST(Resample, FloatsEqualThoseOfCleanFidAndPytorchFid) {
    for (const auto& [name, expected] : test::fixture_tensors("floats.safetensors")) {
        const std::vector<std::string> parts = test::name_parts(name);
        const Image picture = test::fixture_picture(parts.at(1));
        const bool clean = parts.at(0) == "clean";
        std::vector<float> values = clean ? resize_unrounded(picture, {299, 299}, Filter::bicubic)
                                          : interpolate_bilinear(picture, {299, 299});
        const at::Tensor made = at::from_blob(values.data(), expected.sizes(), at::kFloat);
        const at::Tensor scaled = clean ? (made.clamp(0, 255) - 128) / 128 : 2 * made - 1;
        // Where the processor has no fused multiply-add, torch rounds the places of the neighbours otherwise.
        const float tolerance = clean ? 1e-6F : 2e-5F;
        EXPECT_LE((scaled - expected).abs().max().item<float>(), tolerance) << name;
    }
}

}  // namespace
}  // namespace gass
