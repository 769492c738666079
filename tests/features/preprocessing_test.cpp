#include "catalog/preprocessing.h"

#include "features/features_fixture.h"
#include "io/file.h"

#include <algorithm>

namespace gass {
namespace {

constexpr std::array<double, 3> kImagenetMean{0.485, 0.456, 0.406};
constexpr std::array<double, 3> kImagenetDeviation{0.229, 0.224, 0.225};

/// Largest difference; a shape that differs fails the test.
float difference(const Preprocessing& preprocessing, const std::string& picture, const at::Tensor& expected) {
    Pixels pixels = preprocessing(test::fixture_picture(picture));
    const at::Tensor made = at::from_blob(pixels.values.data(), {3, pixels.height, pixels.width}, at::kFloat);
    EXPECT_EQ(made.sizes(), expected.sizes()) << picture;
    if (made.sizes() != expected.sizes()) return 0;
    return (made - expected.to(at::kFloat)).abs().max().item<float>();
}

TEST(Preprocessing, EqualsTransformersProcessors) {
    std::size_t compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(test::features_fixture() / "processors")) {
        if (entry.path().extension() != ".json") continue;
        const std::string name = entry.path().stem().string();
        const Json json = parse_json(read_text_file(entry.path()), name);
        const auto preprocessing = Preprocessing::from(PreprocessorConfig::from_json(json, name));
        // Pillow is met to the bit; torchvision's kernels round to another level at times.
        const double deviation = *std::ranges::min_element(preprocessing.deviation);
        const auto one_level = static_cast<float>(preprocessing.factor / deviation * 1.001);
        for (const auto& [key, expected] : test::fixture_tensors("processors/" + name + ".safetensors")) {
            const std::vector<std::string> parts = test::name_parts(key);
            const float tolerance = parts.at(0) == "pil" ? 1e-6F : one_level;
            EXPECT_LE(difference(preprocessing, parts.at(1), expected), tolerance) << name << ' ' << key;
            ++compared;
        }
    }
    EXPECT_GT(compared, 100U);
}

Preprocessing transform_named(const std::string& name) {
    if (name == "inception") {
        Preprocessing levels = Preprocessing::inception();
        levels.factor = 1;  // the fixture has them in bytes
        return levels;
    }
    const std::size_t dash = name.find('-');
    const std::int64_t side = std::stoll(name.substr(dash + 1));
    if (name.starts_with("sscd")) return Preprocessing::sscd(side, kImagenetMean, kImagenetDeviation);
    return Preprocessing::image_reward(side, Preprocessing().mean, Preprocessing().deviation);
}

TEST(Preprocessing, EqualsTorchvisionsTransforms) {
    const auto cases = test::fixture_tensors("transforms.safetensors");
    EXPECT_GT(cases.size(), 20U);
    for (const auto& [key, expected] : cases) {
        const std::vector<std::string> parts = test::name_parts(key);
        EXPECT_LE(difference(transform_named(parts.at(0)), parts.at(1), expected), 1e-6F) << key;
    }
}

TEST(Preprocessing, EqualsThoseOfFid) {
    for (const auto& [key, expected] : test::fixture_tensors("floats.safetensors")) {
        const std::vector<std::string> parts = test::name_parts(key);
        const bool clean = parts.at(0) == "clean";
        const float tolerance = clean ? 1e-6F : 2e-5F;  // see Resample
        EXPECT_LE(difference(Preprocessing::inception_fid(clean), parts.at(1), expected), tolerance) << key;
    }
}

}  // namespace
}  // namespace gass
