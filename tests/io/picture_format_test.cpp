#include "io/picture_format.h"

#include "core/text.h"
#include "io/image_samples.h"
#include "io/picture_files.h"
#include "io/png.h"
#include "support/expect_error.h"

namespace gass {
namespace {

TEST(PictureFormat, TheSettingNamesThemAll) {
    std::vector<std::string_view> names;
    for (const PictureFormat& format : picture_formats()) {
        names.push_back(format.name);
        EXPECT_THAT(picture_kinds(), testing::HasSubstr(std::string(format.shown)));
    }
    EXPECT_EQ(names, split(find_setting("format")->choices, '|'));
    EXPECT_THAT(picture_kinds(), testing::ContainsRegex("^PNG, JPEG.* or [A-Za-z]+$"));
}

/// Everything that is asked of a format, of each.
TEST(PictureFormat, EveryOneKeepsItsWord) {
    const Image image = test::gradient(23, 19);
    const std::vector<ImageText> text = {
        {std::string(kParametersKey), "a cat, 猫\nSteps: 1, Seed: 2, Size: 3x3"},
        {std::string(kRecordKey), R"({"a": "<b> & 猫"})"}};
    for (const PictureFormat& format : picture_formats()) {
        SCOPED_TRACE(format.name);
        EXPECT_EQ(&picture_format(format.name), &format);
        for (const int quality : {1, 90, 100}) {
            const PictureOutput output{.format = &format, .quality = quality};
            const EncodedPicture encoded = encode_picture(image, output, text);
            EXPECT_TRUE(encoded.left_out.empty());
            EXPECT_EQ(encode_picture(image, output, text).bytes, encoded.bytes);
            EXPECT_EQ(picture_format_of(encoded.bytes), &format);
            const ImageFile file = decode_image(encoded.bytes, "test");
            EXPECT_EQ(file.info.format, format.name);
            EXPECT_EQ(file.info.text, text);
            EXPECT_EQ(decode_image_info(encoded.bytes, "test").text, text);
            EXPECT_EQ(file.image.width, image.width);
            EXPECT_TRUE(file.image == image || format.has_quality);
        }
        for (const std::string_view extension : split(format.extensions, '|')) {
            EXPECT_TRUE(is_picture_name("x" + std::string(extension)));
            EXPECT_FALSE(is_picture_name("." + std::string(extension)));
        }
    }
    EXPECT_TRUE(is_picture_name("a/X.WebP"));
    EXPECT_TRUE(is_picture_name("X.JPEG"));
    for (const char* name : {"x", "x.", "x.gif", "x.png|", "x.jpg|", "png", "sheet.png", "preview.png"})
        EXPECT_FALSE(is_picture_name(name)) << name;
}

TEST(PictureFormat, KnowsTheNamesOfOthersPictures) {
    for (const char* name : {"x.gif", "a/X.TIFF", "x.tif", "x.bmp", "x.avif", "x.HEIC"})
        EXPECT_TRUE(has_foreign_picture_extension(name)) << name;
    for (const char* name :
         {"x", "x.", "gif", "x.png", "x.jpeg", "x.webp", "x.svg", "x.json", "x.csv", "x.html"})
        EXPECT_FALSE(has_foreign_picture_extension(name)) << name;
}

TEST(PictureFormat, LeavesOutWhatItHasNoRoomFor) {
    const Image image = test::gradient(4, 4);
    const std::vector<ImageText> text = {{"parameters", std::string(40'000, 'x')},
                                         {"gass", std::string(70'000, 'x')}};
    const auto left_out = [&](std::string_view format) {
        const EncodedPicture encoded = encode_picture(image, {.format = &picture_format(format)}, text);
        const std::vector<ImageText> kept = decode_image(encoded.bytes, "test").info.text;
        EXPECT_EQ(kept.size() + encoded.left_out.size(), text.size());
        for (const ImageText& entry : kept) EXPECT_NE(std::ranges::find(text, entry), text.end());
        return encoded.left_out;
    };
    EXPECT_EQ(left_out("png"), std::set<std::string>{});
    EXPECT_EQ(left_out("jpeg"), (std::set<std::string>{"gass", "parameters"}));
    EXPECT_EQ(left_out("webp"), std::set<std::string>{"parameters"});
}

TEST(PictureOutput, ComesFromSettings) {
    Settings settings;
    EXPECT_EQ(PictureOutput::from(settings).format->name, "png");
    EXPECT_EQ(PictureOutput::from(settings).quality, PictureOutput().quality);
    settings.set_object(SettingLayer::config, {{"format", "webp"}, {"quality", 70}}, "test");
    const PictureOutput output = PictureOutput::from(settings);
    EXPECT_EQ(output.format->name, "webp");
    EXPECT_EQ(output.quality, 70);
}

TEST(PictureOutput, RefusesWhatTheFormatCannotHold) {
    const PictureOutput webp{.format = &picture_format("webp")};
    webp.check_size(16383, 16383);
    PictureOutput().check_size(16384, 16384);
    test::expect_error(ErrorCode::usage, "[`format`] WebP allows 16383 pixels a side, not 8 x 16384",
                       [&] { webp.check_size(8, 16384); });
}

}  // namespace
}  // namespace gass
