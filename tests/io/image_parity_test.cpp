#include "core/json.h"
#include "io/file.h"
#include "io/image.h"
#include "io/image_samples.h"
#include "io/jpeg.h"
#include "io/png.h"
#include "io/webp.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace gass {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(GASS_FIXTURES_DIR) / "images";
constexpr const char* kHowTo =
    "write the fixtures with tools/reference/image_fixtures.py " GASS_FIXTURES_DIR "/images";

int largest_difference(const std::vector<std::uint8_t>& ours, const std::string& theirs) {
    int largest = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        largest = std::max(largest, std::abs(int{ours[i]} - int{static_cast<unsigned char>(theirs[i])}));
    }
    return largest;
}

TEST(PillowParity, EveryKindOfImageReadsTheSame) {
    ASSERT_TRUE(std::filesystem::exists(kFolder / "index.json")) << kHowTo;
    const Json index = parse_json(read_text_file(kFolder / "index.json"), "index.json");
    ASSERT_GT(index.size(), 90U);
    for (const Json& entry : index) {
        const auto name = entry.at("file").get<std::string>();
        SCOPED_TRACE(name);
        const ImageFile file = read_image(kFolder / name);
        EXPECT_EQ(file.image.width, entry.at("width").get<std::uint32_t>());
        EXPECT_EQ(file.image.height, entry.at("height").get<std::uint32_t>());
        std::vector<ImageText> text;
        for (const Json& item : entry.at("text")) text.push_back({item.at("key"), item.at("value")});
        EXPECT_EQ(file.info.text, text);

        const ImageInfo info = read_image_info(kFolder / name);
        EXPECT_EQ(info.width, file.image.width);
        EXPECT_EQ(info.height, file.image.height);
        EXPECT_EQ(info.orientation, file.info.orientation);
        EXPECT_EQ(info.text, text);

        const std::string expected = read_text_file(kFolder / (name + ".rgb"));
        ASSERT_EQ(file.image.rgb.size(), expected.size());
        // Pillow brings a libjpeg-turbo of its own, whose chroma upsampling may round differently from the
        // system's.
        const int tolerance = file.info.format == "jpeg" ? 2 : 0;
        EXPECT_LE(largest_difference(file.image.rgb, expected), tolerance);
    }
}

TEST(PillowParity, EndlessScansAreRefused) {
    ASSERT_TRUE(std::filesystem::exists(kFolder)) << kHowTo;
    const std::string file = read_text_file(kFolder / "jpeg-progressive.jpg");
    // The first AC scan: it sets coefficients without regard to their old values, so it may come again and
    // again.
    const std::size_t scan = file.find("\xFF\xDA", file.find("\xFF\xDA") + 1);
    ASSERT_NE(scan, std::string::npos);
    const std::size_t next = std::min(file.find("\xFF\xC4", scan), file.find("\xFF\xDA", scan + 1));
    const auto with_repeats = [&](int count) {
        std::string bomb = file;
        for (int i = 0; i < count; ++i) bomb.insert(next, file.substr(scan, next - scan));
        return test::code_of([&] { decode_image(std::as_bytes(std::span(bomb)), "bomb"); });
    };
    EXPECT_EQ(with_repeats(20), std::nullopt);
    EXPECT_EQ(with_repeats(1000), ErrorCode::model_invalid);
}

/// Leaves the files that `image_fixtures.py --verify` opens with Pillow.
TEST(PillowParity, WritesSamplesForPillow) {
    ASSERT_TRUE(std::filesystem::exists(kFolder)) << kHowTo;
    const std::vector<ImageText> text = {
        {"parameters", "a cat, 猫\nNegative prompt: ugly\nSteps: 20, Sampler: Euler a, Seed: 1, Size: 8x8"},
        {"gass", "{\"seed\": 1}"}};
    const Image image{8, 8, std::vector<std::uint8_t>(8 * 8 * 3, 100)};
    write_png(kFolder / "ours.png", image, text);
    write_jpeg(kFolder / "ours.jpg", image, 95, text);
    AtomicFile webp(kFolder / "ours.webp");
    webp.write(encode_webp(image, 95, text));
    webp.commit();
    for (const char* name : {"ours.png", "ours.jpg", "ours.webp"})
        EXPECT_EQ(read_image_info(kFolder / name).text, text) << name;
}

}  // namespace
}  // namespace gass
