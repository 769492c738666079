#include "io/image.h"

#include "core/quote.h"
#include "io/image_samples.h"
#include "io/jpeg.h"
#include "io/png.h"
#include "io/webp.h"
#include "support/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>

namespace gass {
namespace {

using namespace std::string_literals;
using namespace test;
using testing::HasSubstr;

/// Any Unicode text but NUL.
std::string random_text() {
    const auto points = *rc::gen::container<std::u32string>(
        rc::gen::oneOf(rc::gen::inRange<char32_t>(1, 0x100), rc::gen::inRange<char32_t>(0x100, 0xD800),
                       rc::gen::inRange<char32_t>(0xE000, 0x110000)));
    std::string out;
    for (const char32_t point : points) {
        const auto tail = [&](unsigned shift) {
            out += static_cast<char>(0x80U | ((point >> shift) & 0x3FU));
        };
        if (point < 0x80) {
            out += static_cast<char>(point);
        } else if (point < 0x800) {
            out += static_cast<char>(0xC0U | (point >> 6U));
        } else if (point < 0x10000) {
            out += static_cast<char>(0xE0U | (point >> 12U));
            tail(6);
        } else {
            out += static_cast<char>(0xF0U | (point >> 18U));
            tail(12);
            tail(6);
        }
        if (point >= 0x80) tail(0);
    }
    return out;
}

Image random_image() {
    Image image;
    image.width = *rc::gen::inRange<std::uint32_t>(1, 40);
    image.height = *rc::gen::inRange<std::uint32_t>(1, 40);
    image.rgb = *rc::gen::container<std::vector<std::uint8_t>>(std::size_t{image.width} * image.height * 3,
                                                               rc::gen::arbitrary<std::uint8_t>());
    return image;
}

void check(const std::function<void()>& property) {
    EXPECT_TRUE(rc::check(property));
}

TEST(Png, GivesBackWhatWasWritten) {
    check([] {
        const Image image = random_image();
        const std::vector<ImageText> text = {
            {"parameters", random_text()}, {"gass", random_text()}, {"Größe", "a\r\nb"}};
        const auto bytes = encode_png(image, text);
        const ImageFile file = decode_image(bytes, "test");
        RC_ASSERT(file.image == image);
        RC_ASSERT(file.info.text == text);
        RC_ASSERT(decode_image_info(bytes, "test").text == text);
        RC_ASSERT(encode_png(image, text) == bytes);
    });
}

/// Of the first two channels, which change slowly in a gradient.
double mean_square_difference(const Image& a, const Image& b) {
    double squares = 0;
    for (std::size_t i = 0; i < a.rgb.size(); ++i) {
        if (i % 3 != 2) squares += (a.rgb[i] - b.rgb[i]) * (a.rgb[i] - b.rgb[i]);
    }
    return squares / static_cast<double>(a.rgb.size());
}

TEST(Jpeg, GivesBackTextAndNearlyThePixels) {
    const Image image = gradient(48, 32);
    check([&] {
        const std::vector<ImageText> text = {
            {"parameters", "p" + random_text()}, {"gass", random_text()}, {"a b", ""}};
        const auto bytes = encode_jpeg(image, 95, text);
        RC_ASSERT(decode_image_info(bytes, "test").text == text);
        RC_ASSERT(encode_jpeg(image, 95, text) == bytes);
    });
    const Image back = decode_image(encode_jpeg(gradient(640, 480), 100, {}), "test").image;
    const Image large = gradient(640, 480);
    EXPECT_LT(mean_square_difference(back, large), 100);
}

TEST(Webp, GivesBackTextAndThePixelsIfLossless) {
    check([] {
        const Image image = random_image();
        const std::vector<ImageText> text = {{"parameters", "p" + random_text()}, {"gass", random_text()}};
        const auto bytes = encode_webp(image, 100, text);
        const ImageFile file = decode_image(bytes, "test");
        RC_ASSERT(file.image == image);
        RC_ASSERT(file.info.text == text);
        RC_ASSERT(file.info.color == ImageColor::rgb);
        RC_ASSERT(decode_image_info(bytes, "test").text == text);
        RC_ASSERT(encode_webp(image, 100, text) == bytes);
        RC_ASSERT(decode_image(encode_webp(image, 100, {}), "test").info.text.empty());
    });
    const Image large = gradient(640, 480);
    const std::vector<ImageText> text = {{"gass", "{}"}};
    std::size_t size = 0;
    for (const int quality : {1, 50, 80, 90, 99}) {
        const auto bytes = encode_webp(large, quality, text);
        EXPECT_EQ(encode_webp(large, quality, text), bytes);
        EXPECT_GT(bytes.size(), size) << quality;
        size = bytes.size();
        const ImageFile file = decode_image(bytes, "test");
        EXPECT_EQ(file.info.text, text);
        EXPECT_EQ(file.info.color, ImageColor::ycbcr);
        EXPECT_NE(file.image, large);
        EXPECT_LT(mean_square_difference(file.image, large), quality < 80 ? 1000 : 100) << quality;
    }
}

TEST(Png, WritesTextTheWayPillowDoes) {
    const auto kind = [](const std::string& value) {
        const auto bytes = encode_png(gradient(1, 1), std::vector<ImageText>{{"parameters", value}});
        const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return file.find("iTXt") != std::string_view::npos   ? "iTXt"s
               : file.find("tEXt") != std::string_view::npos ? "tEXt"s
                                                             : ""s;
    };
    EXPECT_EQ(kind("plain"), "tEXt");
    EXPECT_EQ(kind("café"), "tEXt");
    EXPECT_EQ(kind("猫"), "iTXt");
}

TEST(Image, RefusesToWriteNonsense) {
    const Image image = gradient(2, 2);
    const auto png = [&](const std::string& key, const std::string& value) {
        return code_of([&] { encode_png(image, std::vector<ImageText>{{key, value}}); });
    };
    for (const std::string& key :
         {""s, " a"s, "a "s, "a  b"s, "a\nb"s, "猫"s, std::string(80, 'k'), "\xFF"s}) {
        EXPECT_EQ(png(key, "v"), ErrorCode::usage) << in_quotes(key);
    }
    EXPECT_EQ(png(std::string(79, 'k'), "v"), std::nullopt);
    EXPECT_EQ(png("k", "a\0b"s), ErrorCode::usage);
    EXPECT_EQ(png("k", "\xC0\x80"), ErrorCode::usage);

    const auto jpeg = [&](const std::string& key, const std::string& value, int quality) {
        return code_of([&] { encode_jpeg(image, quality, std::vector<ImageText>{{key, value}}); });
    };
    EXPECT_EQ(jpeg("a: b", "v", 90), ErrorCode::usage);
    EXPECT_EQ(jpeg("parameters", std::string(32800, 'x'), 90), ErrorCode::usage);
    EXPECT_EQ(jpeg("gass", std::string(66000, 'x'), 90), ErrorCode::usage);
    EXPECT_EQ(jpeg("parameters", std::string(32000, 'x'), 90), std::nullopt);
    EXPECT_EQ(jpeg("gass", "v", 0), ErrorCode::usage);
    EXPECT_EQ(jpeg("gass", "v", 101), ErrorCode::usage);

    const auto webp = [&](const std::vector<ImageText>& text, int quality) {
        return code_of([&] { encode_webp(image, quality, text); });
    };
    EXPECT_EQ(webp({{"other", "v"}}, 90), ErrorCode::usage);
    EXPECT_EQ(webp({{"gass", "v"}, {"gass", "v"}}, 90), ErrorCode::usage);
    EXPECT_EQ(webp({{"gass", "a\0b"s}}, 90), ErrorCode::usage);
    EXPECT_EQ(webp({{"parameters", std::string(32800, 'x')}}, 90), ErrorCode::usage);
    EXPECT_EQ(webp({{"parameters", std::string(3'000'000, 'x')}}, 90), ErrorCode::usage);
    EXPECT_EQ(webp({{"parameters", std::string(32000, 'x')}}, 90), std::nullopt);
    EXPECT_EQ(webp({{"gass", std::string(3'000'000, '<')}}, 90), std::nullopt);
    EXPECT_EQ(webp({}, 0), ErrorCode::usage);
    EXPECT_EQ(webp({}, 101), ErrorCode::usage);

    EXPECT_EQ(code_of([] { encode_png(Image{}, {}); }), ErrorCode::usage);
    EXPECT_EQ(code_of([] { encode_png(Image{2, 2, {1, 2, 3}}, {}); }), ErrorCode::usage);
    EXPECT_EQ(code_of([] { encode_jpeg(gradient(65536, 1), 90, {}); }), ErrorCode::usage);
    EXPECT_EQ(code_of([] { encode_webp(Image{2, 2, {1, 2, 3}}, 90, {}); }), ErrorCode::usage);
    EXPECT_EQ(code_of([] { encode_webp(gradient(16384, 1), 90, {}); }), ErrorCode::usage);
    EXPECT_EQ(code_of([] { encode_webp(gradient(16383, 1), 90, {}); }), std::nullopt);
}

TEST(Image, SaysWhatAForeignFileIs) {
    const TemporaryFolder folder;
    const auto complaint = [&](const std::string& content) {
        folder.write("image.png", content);
        const auto error = error_of([&] { read_image(folder / "image.png"); });
        EXPECT_TRUE(error.has_value());
        EXPECT_EQ(error->code(), ErrorCode::model_invalid);
        return std::string(error->what());
    };
    EXPECT_THAT(complaint("a cat on a sofa\n"), HasSubstr("found text: \"a cat on a sofa"));
    EXPECT_THAT(complaint("version https://git-lfs.github.com/spec/v1\n"), HasSubstr("Git LFS pointer"));
    EXPECT_THAT(complaint("RIFF\x01\x02\x03\x04WEBPVP8 "), HasSubstr("the WebP image is damaged"));
    EXPECT_THAT(complaint("RIFF\x01\x02\x03\x04WAVEfmt "), HasSubstr("RIFF"));
    EXPECT_THAT(complaint("\0\0\0\1ftypavif"s),
                HasSubstr("expected a PNG, JPEG or WebP image, found an AVIF"));
    EXPECT_THAT(complaint("GIF89a"), HasSubstr("a GIF image"));
    EXPECT_THAT(complaint(""), HasSubstr("an empty file"));
    EXPECT_THAT(complaint("\x01\x02\x03"), HasSubstr("\\x01"));
    EXPECT_EQ(code_of([&] { read_image(folder / "absent.png"); }), ErrorCode::model_not_found);
    EXPECT_EQ(code_of([&] { read_image(folder.path()); }), ErrorCode::model_invalid);
}

TEST(Image, IsRecognisedByContentNotByName) {
    const TemporaryFolder folder;
    write_jpeg(folder / "image.png", gradient(8, 8), 90, {});
    EXPECT_EQ(read_image(folder / "image.png").info.format, "jpeg");
    write_png(folder / "image.jpg", gradient(8, 8), {});
    EXPECT_EQ(read_image(folder / "image.jpg").image, gradient(8, 8));
    const ImageInfo info = read_image_info(folder / "image.jpg");
    EXPECT_EQ(info.format, "png");
    EXPECT_EQ(info.width, 8U);
    EXPECT_EQ(info.color, ImageColor::rgb);
    const auto webp = encode_webp(gradient(8, 8), 100, {});
    folder.write("image.jpeg", {reinterpret_cast<const char*>(webp.data()), webp.size()});
    EXPECT_EQ(read_image(folder / "image.jpeg").image, gradient(8, 8));
    EXPECT_EQ(read_image_info(folder / "image.jpeg").format, "webp");
}

TEST(Png, SixteenBitGrayKeepsItsHighByte) {
    const std::string raw = "\0\x12\x34\xFF\xFE\x00\xFF"s;
    const std::string file = png_header(3, 1, 16, 0) + chunk("IDAT", deflated(raw)) + chunk("IEND", "");
    const std::vector<std::uint8_t> expected = {0x12, 0x12, 0x12, 0xFF, 0xFF, 0xFF, 0, 0, 0};
    EXPECT_EQ(decode_image(bytes_of(file), "test").image.rgb, expected);
}

/// An EXIF block that holds an orientation and nothing else.
std::string orientation_exif(unsigned value) {
    return "MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"s + static_cast<char>(value) +
           std::string(6, '\0');
}

TEST(Image, IsReadUprightOrAsStored) {
    const Image stored = gradient(5, 3);
    const auto png = encode_png(stored, {});
    const auto jpeg = encode_jpeg(stored, 90, {});
    const auto webp = encode_webp(stored, 100, {});
    const Image stored_jpeg = decode_image(jpeg, "test").image;
    const TemporaryFolder folder;
    for (unsigned orientation = 1; orientation <= 8; ++orientation) {
        const std::string exif = orientation_exif(orientation);
        std::string file(reinterpret_cast<const char*>(png.data()), png.size());
        file.insert(33, chunk("eXIf", exif));  // behind IHDR
        folder.write("png", file);
        file.assign(reinterpret_cast<const char*>(jpeg.data()), jpeg.size());
        const auto length = static_cast<char>(exif.size() + 8);
        file.insert(2, "\xFF\xE1\0"s + length + "Exif\0\0"s + exif);
        folder.write("jpeg", file);
        constexpr unsigned kHasExif = 8;
        file.assign(reinterpret_cast<const char*>(webp.data()), webp.size());
        folder.write("webp", webp_of(vp8x(kHasExif, 5, 3) + file.substr(12) + riff_chunk("EXIF", exif)));
        for (const char* name : {"png", "jpeg", "webp"}) {
            SCOPED_TRACE(testing::Message() << name << " " << orientation);
            const ImageFile as_stored = read_image(folder / name, Orientation::as_stored);
            EXPECT_EQ(as_stored.image, name == "jpeg"s ? stored_jpeg : stored);
            EXPECT_EQ(as_stored.info.width, 5U);
            EXPECT_EQ(as_stored.info.height, 3U);
            EXPECT_EQ(as_stored.info.orientation, orientation);
            const ImageFile upright = read_image(folder / name);
            const ImageInfo info = read_image_info(folder / name);
            EXPECT_EQ(upright.image == as_stored.image, orientation == 1);
            EXPECT_EQ(upright.image.width, orientation < 5 ? 5U : 3U);
            EXPECT_EQ(upright.info.width, upright.image.width);
            EXPECT_EQ(upright.info.height, upright.image.height);
            EXPECT_EQ(info.width, upright.image.width);
            EXPECT_EQ(info.height, upright.image.height);
            EXPECT_EQ(info.orientation, orientation);
        }
    }
}

TEST(Png, FindsTextBehindThePixels) {
    const auto bytes = bytes_of(tiny_png({}, chunk("tEXt", "late\0caf\xE9"s)));
    const std::vector<ImageText> expected = {{"late", "café"}};
    EXPECT_EQ(decode_image(bytes, "test").info.text, expected);
    EXPECT_EQ(decode_image_info(bytes, "test").text, expected);
}

TEST(Jpeg, TakesForeignCommentsAsTheyAre) {
    using namespace std::string_view_literals;
    const auto ours = encode_jpeg(gradient(8, 8), 90, {});
    std::string file(reinterpret_cast<const char*>(ours.data()), ours.size());
    file.insert(2, "\xFF\xFE\x00\x0Bno colon\0"sv);
    EXPECT_EQ(decode_image_info(bytes_of(file), "test").text,
              (std::vector<ImageText>{{"comment", "no colon"}}));
}

}  // namespace
}  // namespace gass
