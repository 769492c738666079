#include "features/feature_file.h"
#include "io/png.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

#include <gass/measure.h>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <thread>

namespace gass {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using testing::ElementsAre;
using testing::HasSubstr;

/// A few coloured waves: pictures that an encoder tells apart.
Image picture(int seed) {
    constexpr std::uint32_t kSide = 64;
    Image image{kSide, kSide, {}};
    for (std::uint32_t y = 0; y < kSide; ++y) {
        for (std::uint32_t x = 0; x < kSide; ++x) {
            for (int c = 0; c < 3; ++c)
                image.rgb.push_back(static_cast<std::uint8_t>(
                    127 + 100 * std::sin(0.05 * (seed + 1) * x + 0.03 * (seed + 2 * c) * y + c)));
        }
    }
    return image;
}

/// Embedded models without an installation, and a cache of the test's own.
class Measurement : public testing::Test {
  protected:
    Measurement() {
        ::setenv("GASS_DATA_DIR", fs::path(GASS_MODELS_DIR).parent_path().c_str(), 1);
        ::setenv("GASS_CACHE_DIR", (folder_ / "cache").c_str(), 1);
        for (int i = 0; i < 5; ++i) {
            pictures_.push_back(picture(i));
            folder_.write("set/" + std::to_string(i) + ".png", "");
            write_png(folder_ / ("set/" + std::to_string(i) + ".png"), pictures_.back(), {});
        }
    }

    std::string at(const std::string& name) const { return (folder_ / name).string(); }

    test::TemporaryFolder folder_;
    std::vector<Image> pictures_;
};

void expect_same(const std::vector<MetricResult>& ours, const std::vector<MetricResult>& wanted) {
    ASSERT_EQ(ours.size(), wanted.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
        SCOPED_TRACE(wanted[i].metric);
        EXPECT_EQ(ours[i].metric, wanted[i].metric);
        EXPECT_EQ(ours[i].value, wanted[i].value);
        EXPECT_EQ(ours[i].interval, wanted[i].interval);
        EXPECT_EQ(ours[i].images, wanted[i].images);
        EXPECT_EQ(ours[i].encoder.weights, wanted[i].encoder.weights);
        EXPECT_EQ(ours[i].encoder.preprocessing, wanted[i].encoder.preprocessing);
    }
}

TEST_F(Measurement, PicturesInMemoryGiveWhatTheirFilesGive) {
    const MeasureResult files = measure({.images = {at("set")}, .prompt = "a red car", .cache = false});
    const MeasureResult memory = measure({.pictures = pictures_, .prompt = "a red car", .cache = false});
    ASSERT_EQ(files.results.size(), 4U);
    EXPECT_EQ(files.results[0].metric, "spp");
    EXPECT_EQ(files.results[0].encoder.name, "mini-clip");
    EXPECT_TRUE(files.results[0].value.has_value());
    EXPECT_EQ(memory.images, 5U);
    EXPECT_EQ(memory.groups, 1U);
    expect_same(memory.results, files.results);
}

TEST_F(Measurement, PicturesInMemoryAreKeptLikeFiles) {
    const MeasureRequest request{.pictures = pictures_, .metrics = {"vendi"}};
    const MeasureResult first = measure(request);
    const MeasureResult second = measure(request);
    EXPECT_EQ(first.from_cache, 0U);
    EXPECT_EQ(second.from_cache, 5U);
    expect_same(second.results, first.results);
}

TEST_F(Measurement, EachEncoderMeasuresWhatItCan) {
    const MeasureResult found = measure({.pictures = pictures_,
                                         .prompt = "a red car",
                                         .metrics = {"clip_score", "vendi"},
                                         .encoders = {"pixels", "mini-clip"}});
    ASSERT_EQ(found.results.size(), 3U);
    EXPECT_EQ(found.results[0].metric, "clip_score");
    EXPECT_EQ(found.results[0].encoder.name, "mini-clip");
    EXPECT_EQ(found.results[1].encoder.name, "mini-clip");
    EXPECT_EQ(found.results[2].encoder.name, "pixels");
    expect_error(ErrorCode::usage, "clip_score needs a CLIP model", [&] {
        measure({.pictures = pictures_, .prompt = "x", .metrics = {"clip_score"}, .encoders = {"pixels"}});
    });
}

TEST_F(Measurement, ComparesWithAReference) {
    const MeasureResult found =
        measure({.pictures = pictures_, .metrics = {"prdc"}, .reference = at("set"), .k = 2});
    ASSERT_EQ(found.results.size(), 4U);
    EXPECT_EQ(found.results[3].metric, "coverage");
    EXPECT_EQ(found.results[3].find_parameter("reference_n")->value, decltype(MetricParameter::value)(5L));
    expect_error(ErrorCode::usage, "needs something to compare with",
                 [&] { measure({.pictures = pictures_, .metrics = {"recall"}}); });
}

TEST_F(Measurement, ShowsHowFarItIsAndStops) {
    std::vector<std::string> steps;
    MeasureEvents events;
    events.progress = [&](std::string_view encoder, std::size_t done, std::size_t total) {
        steps.push_back(fmt::format("{} {}/{}", encoder, done, total));
    };
    const MeasureRequest request{.pictures = pictures_, .metrics = {"vendi"}, .max_batch = 3, .cache = false};
    measure(request, events);
    EXPECT_THAT(steps, ElementsAre("mini-clip 0/5", "mini-clip 3/5", "mini-clip 5/5"));
    events.should_stop = [&] { return steps.size() == 5; };
    expect_error(ErrorCode::interrupted, "after 3 of 5", [&] { measure(request, events); });
}

TEST_F(Measurement, WhatCannotBeReadIsNamedAndLeftOut) {
    folder_.write("set/broken.png", "no picture");
    std::vector<std::string> names;
    MeasureEvents events;
    events.unreadable = [&](const UnreadableFile& file) { names.push_back(file.file.filename()); };
    const MeasureResult found = measure({.images = {at("set")}, .metrics = {"vendi", "pairwise"}}, events);
    EXPECT_THAT(names, ElementsAre("broken.png"));
    ASSERT_EQ(found.unreadable.size(), 1U);
    EXPECT_EQ(found.unreadable[0].file, at("set/broken.png"));
    EXPECT_EQ(found.images, 5U);
    expect_error(ErrorCode::model_invalid, "none of 1 file",
                 [&] { measure({.images = {at("set/broken.png")}}, events); });
    EXPECT_EQ(names.size(), 2U);
}

TEST_F(Measurement, SavedFeaturesMeasureAlike) {
    const std::string file = at("features.safetensors");
    const FeaturesResult saved = save_features({.pictures = pictures_, .output = file});
    EXPECT_EQ(saved.rows, 5);
    EXPECT_EQ(saved.columns, 256);
    EXPECT_EQ(saved.encoder.name, "mini-clip");
    EXPECT_EQ(saved.files.back(), "pictures[4]");
    const MeasureResult direct = measure({.pictures = pictures_, .metrics = {"vendi", "pairwise"}});
    const MeasureResult given = measure({.features = file, .metrics = {"vendi", "pairwise"}});
    EXPECT_EQ(given.images, 5U);
    expect_same(given.results, direct.results);
    save_features({.images = {at("set")}, .output = at("of-files.npy")});
    EXPECT_TRUE(at::equal(read_features(file), read_features(at("of-files.npy"))));
}

TEST_F(Measurement, SeveralThreadsMeasureAtOnce) {
    const MeasureRequest request{.pictures = pictures_, .prompt = "a red car"};
    const MeasureResult alone = measure(request);
    std::vector<MeasureResult> results(3);
    std::vector<std::jthread> threads;
    for (MeasureResult& result : results) threads.emplace_back([&] { result = measure(request); });
    threads.clear();
    for (const MeasureResult& result : results) expect_same(result.results, alone.results);
}

TEST_F(Measurement, RefusesWhatDoesNotFitTogether) {
    const auto refuses = [](const std::string& part, const MeasureRequest& request) {
        expect_error(ErrorCode::usage, part, [&] { measure(request); });
    };
    refuses("no images are named", {});
    refuses("together with images", {.images = {at("set")}, .pictures = pictures_});
    refuses("[pictures[0]] expected 3 bytes for each of 2×2 pixels, got 5",
            {.pictures = {{2, 2, std::vector<std::uint8_t>(5)}}});
    refuses("a name is empty", {.pictures = pictures_, .encoders = {""}});
    refuses("there is no metric", {.pictures = pictures_, .metrics = {"beauty"}});
    refuses("belongs to", {.pictures = pictures_, .text_features = "a.npy"});
    refuses("cannot be used together", {.reference = "a", .reference_features = "b"});
    refuses("is about images", {.images = {at("set")}, .features = "a.npy"});
    refuses("is about images", {.pictures = pictures_, .features = "a.npy"});
    refuses("is about images", {.features = "a.npy", .cache = false});
    refuses("[`order`]", {.pictures = pictures_, .orders = {}});
    refuses("[`order`]", {.pictures = pictures_, .orders = {std::nan("")}});
    refuses("[`k`]", {.pictures = pictures_, .k = 0});
    refuses("[`draws`]", {.pictures = pictures_, .draws = 10'001});
    refuses("[`metric_seed`]", {.pictures = pictures_, .metric_seed = std::uint64_t{1} << 32U});
    refuses("[`kid_subset_size`]", {.pictures = pictures_, .kid_subset_size = 1});
    refuses("[`bootstrap`]", {.pictures = pictures_, .bootstrap = -1});
    refuses("[`resize_first`]", {.pictures = pictures_, .resize_first = 4097});
    refuses("[`max_batch`]", {.pictures = pictures_, .max_batch = -1});
    refuses("[`threads`]", {.pictures = pictures_, .threads = 1025});
    refuses("abacus", {.pictures = pictures_, .device = "abacus"});
    expect_error(ErrorCode::usage, "no images are named", [&] { save_features({.output = at("a.npy")}); });
    expect_error(ErrorCode::usage, "there is no folder",
                 [&] { save_features({.pictures = pictures_, .output = at("absent/a.npy")}); });
    expect_error(ErrorCode::usage, ".npy", [&] { save_features({.pictures = pictures_}); });
}

}  // namespace
}  // namespace gass
