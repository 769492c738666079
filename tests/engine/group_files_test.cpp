#include "engine/group_files.h"

#include "io/file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

#include <algorithm>
#include <fstream>

namespace gass {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

Group group_of(std::size_t images, std::size_t seeds = 4) {
    Group group;
    for (std::size_t i = 0; i < images; ++i) {
        GroupImage image;
        image.width = 16;
        image.height = 8;
        image.rgb.resize(std::size_t{16} * 8 * 3);
        for (std::size_t k = 0; k < image.rgb.size(); ++k)
            image.rgb[k] = static_cast<std::uint8_t>(k * (i + 1));
        image.seed = image.place = i;
        image.prompt = "a car";
        group.images.push_back(std::move(image));
    }
    Record& record = group.record;
    record.version = "1.2.3";
    record.fingerprint = "0123456789abcdef";
    record.machine = "LibTorch 2";
    record.prompt = "a car";
    record.seeds.assign(seeds, 4'000'000'000);
    RecordedSettings& settings = record.settings;
    settings.model = "m";
    settings.negative_prompt = "";
    settings.steps = 2;
    settings.cfg_scale = 4;
    settings.width = 16;
    settings.height = 8;
    settings.method = "none";
    settings.sampling_method = "euler";
    settings.scheduler = "default";
    settings.clip_skip = 0;
    return group;
}

PictureOutput output_as(std::string_view format) {
    return {.format = &picture_format(format)};
}

class GroupFiles : public testing::Test {
  protected:
    Json write(const Group& group, const PictureOutput& output) {
        return write_group(folder_.path(), group, output);
    }

    Names files() const {
        Names names;
        for (const auto& entry : fs::directory_iterator(folder_.path()))
            names.push_back(entry.path().filename());
        std::ranges::sort(names);
        return names;
    }

    ImageInfo info_of(const std::string& name) const { return read_image_info(folder_ / name); }

    test::TemporaryFolder folder_;
};

TEST_F(GroupFiles, EveryFormatCarriesTheRecord) {
    for (const PictureFormat& format : picture_formats()) {
        SCOPED_TRACE(format.name);
        const Json json = write(group_of(2), {.format = &format, .quality = 80});
        const std::string name = json.at("images")[1].at("file");
        EXPECT_EQ(name, "0001" + std::string(format.extension()));
        EXPECT_EQ(files(),
                  (Names{"0000" + std::string(format.extension()), name, kGroupFile, kPageFile, kSheetFile}));
        const ImageInfo info = info_of(name);
        EXPECT_EQ(info.format, format.name);
        ASSERT_EQ(info.text.size(), 2U);
        EXPECT_TRUE(info.text[0].value.starts_with("a car\nSteps: 2, "));
        const Json own = parse_json(info.text[1].value, "record");
        EXPECT_EQ(own.at("index"), 1);
        // What is read back writes the same bytes; a PNG says no more than it always did.
        EXPECT_EQ(own.at("settings"), json.at("settings"));
        EXPECT_EQ(own.at("settings").value("format", "png"), format.name);
        EXPECT_EQ(own.at("settings").value("quality", 80), 80);
        EXPECT_EQ(own.at("settings").contains("format"), format.name != "png");
        EXPECT_EQ(info_of(kSheetFile).format, "png");

        write(group_of(2), {.format = &format, .metadata = false});
        EXPECT_TRUE(info_of(name).text.empty());
        EXPECT_TRUE(info_of(kSheetFile).text.empty());
    }
}

TEST_F(GroupFiles, AnotherFormatReplacesTheEarlierSet) {
    for (const char* format : {"png", "webp", "jpeg", "png"}) write(group_of(3), output_as(format));
    EXPECT_EQ(files(), (Names{"0000.png", "0001.png", "0002.png", kGroupFile, kPageFile, kSheetFile}));
    write(group_of(1), output_as("jpeg"));
    EXPECT_EQ(files(), (Names{"0000.jpg", kGroupFile, kPageFile, kSheetFile}));
}

TEST_F(GroupFiles, OneThatWasStoppedReplacesWhatItHas) {
    write(group_of(3), output_as("png"));
    Group stopped = group_of(2);
    stopped.complete = false;
    write(stopped, output_as("webp"));
    EXPECT_EQ(files(), (Names{"0000.webp", "0001.webp", "0002.png", kGroupFile, kPageFile, kSheetFile}));
}

TEST_F(GroupFiles, NobodysPicturesAreTouched) {
    std::ofstream(folder_ / "0001.webp") << "mine";
    write(group_of(3), output_as("jpeg"));  // has other names
    check_group_folder(folder_.path(), 1, picture_format("webp"));
    test::expect_error(ErrorCode::usage, "0001.webp exists already",
                       [&] { check_group_folder(folder_.path(), 2, picture_format("webp")); });
    test::expect_error(ErrorCode::usage, "0001.webp exists already",
                       [&] { write(group_of(2), output_as("webp")); });
    EXPECT_EQ(files(),
              (Names{"0000.jpg", "0001.jpg", "0001.webp", "0002.jpg", kGroupFile, kPageFile, kSheetFile}));
    EXPECT_EQ(fs::file_size(folder_ / "0001.webp"), 4U);
}

TEST_F(GroupFiles, ThePageLiesBesideThePictures) {
    const Json json = write(group_of(2), output_as("webp"));
    EXPECT_EQ(json.at("page"), kPageFile);
    const std::string page = read_text_file(folder_ / kPageFile);
    EXPECT_THAT(page, testing::HasSubstr("<img src=\"0001.webp\""));
    EXPECT_THAT(page, testing::Not(testing::HasSubstr("0002")));
    const auto written = fs::last_write_time(folder_ / kPageFile);
    write(group_of(3), output_as("png"));
    EXPECT_GE(fs::last_write_time(folder_ / kPageFile), written);
    EXPECT_THAT(read_text_file(folder_ / kPageFile), testing::HasSubstr("<img src=\"0002.png\""));
}

TEST_F(GroupFiles, APageOfOthersStays) {
    const auto refused = [&] {
        test::expect_error(ErrorCode::usage, "index.html exists already",
                           [&] { check_group_folder(folder_.path(), 2, picture_format("png")); });
        test::expect_error(ErrorCode::usage, "index.html exists already",
                           [&] { write(group_of(2), output_as("png")); });
        EXPECT_EQ(read_text_file(folder_ / kPageFile), "mine");
    };
    folder_.write(kPageFile, "mine");
    refused();
    // Sets of earlier versions had no page, and say so.
    fs::remove(folder_ / kPageFile);
    Json json = write(group_of(2), output_as("png"));
    folder_.write(kPageFile, "mine");
    for (const Json& page : {Json(), Json(3), Json("other.html"), Json::array({kPageFile})}) {
        json["page"] = page;
        folder_.write(kGroupFile, json.dump());
        refused();
    }
    json.erase("page");
    folder_.write(kGroupFile, json.dump());
    refused();
    fs::remove(folder_ / kPageFile);
    EXPECT_EQ(write(group_of(1), output_as("png")).at("page"), kPageFile);
    EXPECT_EQ(files(), (Names{"0000.png", kGroupFile, kPageFile, kSheetFile}));
}

TEST_F(GroupFiles, PlacesOnAxesStandWithTheImages) {
    Group group = group_of(2);
    group.record.settings.vary = "at night|at noon; red|blue";
    group.images[1].axis_places = {-1.0, 0.5};
    const Json json = write(group, output_as("png"));
    EXPECT_FALSE(json.at("images")[0].contains("axis_places"));
    EXPECT_EQ(json.at("images")[1].at("axis_places"), (Json{-1.0, 0.5}));
    EXPECT_THAT(read_text_file(folder_ / kPageFile), testing::HasSubstr("<bdi>blue 75 %</bdi>"));
}

TEST_F(GroupFiles, TheSheetSaysHowItWasMade) {
    const auto height = [&](const Group& group) {
        write(group, output_as("png"));
        return read_image(folder_ / kSheetFile).image.height;
    };
    Group group = group_of(2);
    const std::uint32_t plain = height(group);
    group.record.settings.negative_prompt = "rain";
    const std::uint32_t negative = height(group);
    EXPECT_GT(negative, plain);
    group.record.settings.method = "interval:low=0.2,high=0.7";
    const std::uint32_t parameters = height(group);
    EXPECT_GT(parameters, negative);
    group.record.settings.vary = "at night|at noon";
    group.images[0].axis_places = {1.0};
    EXPECT_GT(height(group), parameters);
}

TEST_F(GroupFiles, WhatTheFormatHasNoRoomForIsLeftOutAndSaid) {
    const auto said = [&](const char* format) {
        testing::internal::CaptureStderr();
        const Json json = write(group_of(2, 7000), output_as(format));
        EXPECT_EQ(json.at("seeds").size(), 7000U);
        return testing::internal::GetCapturedStderr();
    };
    EXPECT_EQ(said("png"), "");
    EXPECT_EQ(info_of("0001.png").text.size(), 2U);
    EXPECT_THAT(said("webp"), testing::HasSubstr("WebP has no room for parameters: left out"));
    ASSERT_EQ(info_of("0001.webp").text.size(), 1U);
    EXPECT_EQ(info_of("0001.webp").text.front().key, kRecordKey);
    EXPECT_THAT(said("jpeg"), testing::HasSubstr("JPEG has no room for gass and parameters"));
    EXPECT_TRUE(info_of("0001.jpg").text.empty());
}

}  // namespace
}  // namespace gass
