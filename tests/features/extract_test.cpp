#include "features/extract.h"

#include "io/png.h"
#include "support/expect_error.h"
#include "support/full_disk.h"
#include "support/temporary_folder.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

namespace gass {
namespace {

namespace fs = std::filesystem;
using test::expect_error;

/// Pictures in a folder and a network that returns their mean level, and counts how often it is asked.
class Extract : public testing::Test {
  protected:
    static Image solid(std::uint32_t width, std::uint32_t height, std::uint8_t level) {
        return {width, height, std::vector<std::uint8_t>(std::size_t{3} * width * height, level)};
    }

    fs::path picture(const std::string& name, std::uint32_t width, std::uint32_t height, std::uint8_t level) {
        const fs::path path = folder_.path() / name;
        write_png(path, solid(width, height, level), {});
        return path;
    }

    FeatureSource source() {
        Preprocessing plain;
        plain.scaling = Scaling::none;
        plain.crop.reset();
        plain.factor = 1;
        plain.mean = {0, 0, 0};
        plain.deviation = {1, 1, 1};
        return {.encoder = "mean",
                .preprocessing = plain,
                .dimension = 1,
                .encode = [this](const at::Tensor& pixels, std::span<const std::size_t>) {
                    shapes_.emplace_back(pixels.sizes().vec());
                    return pixels.mean({1, 2, 3}).unsqueeze(1);
                }};
    }

    Extracted extract(const std::vector<fs::path>& files, const FeatureSource& from) {
        std::vector<PictureInput> pictures;
        for (const fs::path& file : files) pictures.push_back({file});
        return extract_features(pictures, from,
                                {.batch = 3, .cache = cache_, .advance = {}, .should_stop = {}});
    }

    test::TemporaryFolder folder_;
    OptionalCache cache_{folder_.path() / "cache" / "features.sqlite"};
    std::vector<std::vector<std::int64_t>> shapes_;
};

TEST_F(Extract, RowsFollowTheFilesWhateverTheirSizes) {
    const std::vector<fs::path> files{picture("a.png", 4, 4, 10), picture("b.png", 8, 2, 20),
                                      picture("c.png", 4, 4, 30), picture("d.png", 8, 2, 40)};
    for (const bool on_gpu : {false, true}) {  // prepared ahead or not
        FeatureSource from = source();
        from.on_gpu = on_gpu;
        from.encoder = on_gpu ? "ahead" : "in turn";
        const Extracted found = extract(files, from);
        EXPECT_TRUE(at::equal(found.features, at::tensor({10.0F, 20.0F, 30.0F, 40.0F}).unsqueeze(1)));
        EXPECT_THAT(found.files, testing::ElementsAre(0, 1, 2, 3));
    }
}

TEST_F(Extract, UnreadableFilesAreNamedAndLeftOut) {
    folder_.write("text.png", "no picture");
    const std::vector<fs::path> files{folder_.path() / "gone.png", picture("a.png", 4, 4, 10),
                                      folder_.path() / "text.png", picture("b.png", 4, 4, 20)};
    const Extracted found = extract(files, source());
    EXPECT_THAT(found.files, testing::ElementsAre(1, 3));
    ASSERT_EQ(found.unreadable.size(), 2U);
    EXPECT_EQ(found.unreadable[0].file.filename(), "gone.png");
    EXPECT_EQ(found.unreadable[1].file.filename(), "text.png");
    EXPECT_FALSE(found.unreadable[1].reason.empty());
}

TEST_F(Extract, WhatIsInTheCacheIsNotComputedAgain) {
    const std::vector<fs::path> files{picture("a.png", 4, 4, 10), picture("b.png", 4, 4, 20)};
    extract(files, source());
    const std::size_t calls = shapes_.size();
    const Extracted again = extract(files, source());
    EXPECT_EQ(shapes_.size(), calls);
    EXPECT_EQ(again.from_cache, 2U);
    EXPECT_TRUE(at::equal(again.features, at::tensor({10.0F, 20.0F}).unsqueeze(1)));
    FeatureSource other = source();
    other.preprocessing.factor = 2;
    EXPECT_EQ(extract(files, other).from_cache, 0U);
}

TEST_F(Extract, WhatGoesInBesideThePictureCounts) {
    const std::vector<fs::path> files{picture("a.png", 4, 4, 10)};
    FeatureSource from = source();
    std::string prompt = "a dog";
    from.extra_input = [&](std::size_t) { return prompt; };
    extract(files, from);
    EXPECT_EQ(extract(files, from).from_cache, 1U);
    prompt = "a cat";
    EXPECT_EQ(extract(files, from).from_cache, 0U);
    EXPECT_EQ(extract(files, source()).from_cache, 0U);
}

TEST_F(Extract, ACacheThatFailsIsGivenUp) {
    const std::vector<fs::path> files{picture("a.png", 4, 4, 10), picture("b.png", 4, 4, 20)};
    test::with_full_disk_after(4096, [&] { EXPECT_EQ(extract(files, source()).files.size(), 2U); });
    EXPECT_FALSE(cache_.is_on());
    EXPECT_EQ(extract(files, source()).from_cache, 0U);
}

TEST_F(Extract, LargePicturesDoNotShareABatch) {
    std::vector<fs::path> files;
    for (int i = 0; i < 3; ++i)
        files.push_back(picture(std::to_string(i) + ".png", 2048, 2000, static_cast<std::uint8_t>(i)));
    FeatureSource from = source();
    extract(files, from);
    EXPECT_EQ(shapes_.size(), 3U);
    from.on_gpu = true;
    from.encoder = "ahead";
    extract(files, from);
    EXPECT_EQ(shapes_.size(), 5U);
}

TEST_F(Extract, PicturesInMemoryAreAsGoodAsFiles) {
    const std::vector<Image> images{solid(4, 4, 10), solid(8, 2, 20), solid(0, 0, 30), solid(2, 8, 20)};
    std::vector<PictureInput> pictures{{picture("file.png", 4, 4, 5)}};
    for (const Image& image : images) pictures.push_back({"image", &image});
    const ExtractOptions options{.batch = 3, .cache = cache_, .advance = {}, .should_stop = {}};
    const Extracted found = extract_features(pictures, source(), options);
    EXPECT_TRUE(at::equal(found.features, at::tensor({5.0F, 10.0F, 20.0F, 20.0F}).unsqueeze(1)));
    EXPECT_THAT(found.files, testing::ElementsAre(0, 1, 2, 4));
    ASSERT_EQ(found.unreadable.size(), 1U);
    EXPECT_EQ(found.unreadable[0].file, "image");
    EXPECT_EQ(found.from_cache, 0U);
    EXPECT_EQ(extract_features(pictures, source(), options).from_cache, 4U);
}

TEST_F(Extract, StopsWhenItIsAskedTo) {
    const std::vector<fs::path> files{picture("a.png", 4, 4, 10)};
    expect_error(ErrorCode::interrupted, "stopped", [&] {
        extract_features({{files.front()}}, source(),
                         {.batch = 1, .cache = cache_, .advance = {}, .should_stop = [] { return true; }});
    });
}

}  // namespace
}  // namespace gass
