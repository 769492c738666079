#include "io/image_samples.h"
#include "io/jpeg.h"
#include "io/picture_format.h"
#include "io/png.h"
#include "io/webp.h"
#include "support/full_disk.h"
#include "support/temporary_folder.h"

#include <gtest/gtest.h>

#include <random>

namespace gass {
namespace {

using namespace std::string_literals;
using namespace test;

const std::vector<ImageText> kText = {{"parameters", "a cat\nSteps: 1, Seed: 2, Size: 8x8"},
                                      {"gass", "{\"猫\": 1}"}};

std::optional<ErrorCode> decode(std::span<const std::byte> bytes) {
    return code_of([&] { decode_image(bytes, "test"); });
}

std::optional<ErrorCode> decode_info(std::span<const std::byte> bytes) {
    return code_of([&] { decode_image_info(bytes, "test"); });
}

TEST(Damage, EveryTruncationIsAnError) {
    for (const auto& whole :
         {encode_png(gradient(9, 7), kText), encode_jpeg(gradient(19, 17), 90, kText),
          encode_webp(gradient(19, 17), 90, kText), encode_webp(gradient(19, 17), 100, kText),
          encode_webp(gradient(19, 17), 90, {}), encode_webp(gradient(19, 17), 100, {})}) {
        ASSERT_EQ(decode(whole), std::nullopt);
        for (std::size_t size = 0; size < whole.size(); ++size) {
            // A copy of its own, so that a sanitizer sees reads beyond the end.
            const std::vector<std::byte> cut(whole.begin(),
                                             whole.begin() + static_cast<std::ptrdiff_t>(size));
            ASSERT_EQ(decode(cut), ErrorCode::model_invalid) << size << " of " << whole.size();
            const auto info = decode_info(cut);
            ASSERT_TRUE(!info || info == ErrorCode::model_invalid) << size;
        }
    }
}

TEST(Damage, EveryFlippedByteOfAPngIsAnError) {
    const auto whole = encode_png(gradient(9, 7), kText);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        auto flipped = whole;
        flipped[at] ^= std::byte{0x41};
        ASSERT_EQ(decode(flipped), ErrorCode::model_invalid) << at;
    }
}

TEST(Damage, FlippedBytesNeverDoMoreThanFail) {
    for (const auto& whole :
         {encode_jpeg(gradient(19, 17), 90, kText), encode_webp(gradient(19, 17), 90, kText),
          encode_webp(gradient(19, 17), 100, kText)}) {
        std::mt19937 random(1);
        for (int round = 0; round < 3000; ++round) {
            auto flipped = whole;
            for (int count = 0; count <= round % 3; ++count)
                flipped[random() % whole.size()] = static_cast<std::byte>(random());
            const auto code = decode(flipped);
            ASSERT_TRUE(!code || code == ErrorCode::model_invalid) << round;
            decode_info(flipped);
        }
    }
}

std::string text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Damage, AWebpThatContradictsItselfIsRefused) {
    const std::string file = text_of(encode_webp(gradient(5, 3), 100, {}));
    const std::string pixels = file.substr(12);
    const auto refused = [&](const std::string& chunks, const std::string& part) {
        const auto error = error_of([&] { decode_image(bytes_of(webp_of(chunks)), "test"); });
        ASSERT_TRUE(error.has_value()) << part;
        EXPECT_EQ(error->code(), ErrorCode::model_invalid) << part;
        EXPECT_NE(std::string(error->what()).find(part), std::string::npos) << error->what();
    };
    EXPECT_EQ(decode(bytes_of(webp_of(vp8x(0, 5, 3) + pixels))), std::nullopt);
    EXPECT_EQ(decode(bytes_of(file + "what others append")), std::nullopt);
    refused(vp8x(0, 5, 3), "damaged");
    refused(vp8x(0, 6, 3) + pixels, "damaged");
    refused(riff_chunk("VP8X", "") + pixels, "damaged");
    refused(riff_chunk("EXIF", "") + pixels, "damaged");
    refused(pixels + "x", "ends too early");
    refused(vp8x(0, 5, 3) + "VP8L" + little_endian(0xFFFF'FFFE), "longer than the file");
    // libwebp keeps a note of each chunk, a sparse file could have half a billion.
    refused(vp8x(0, 5, 3) + std::string(4096, '\0') + pixels, "more than 256 chunks");
    constexpr unsigned kAnimation = 2;
    const std::string frame = std::string(6, '\0') + little_endian(4).substr(0, 3) +
                              little_endian(2).substr(0, 3) + std::string(4, '\0') + pixels;
    refused(vp8x(kAnimation, 5, 3) + riff_chunk("ANIM", std::string(6, '\0')) + riff_chunk("ANMF", frame),
            "an animated WebP");
}

TEST(Damage, AWebpsUnannouncedTextIsNotRead) {
    const std::string pixels = text_of(encode_webp(gradient(5, 3), 100, {})).substr(12);
    const std::string whole = text_of(encode_webp(gradient(5, 3), 100, kText));
    const std::string texts = whole.substr(whole.find("EXIF"));
    const auto count = [&](unsigned flags) {
        return decode_image(bytes_of(webp_of(vp8x(flags, 5, 3) + pixels + texts)), "test").info.text.size();
    };
    EXPECT_EQ(count(0), 0U);
    EXPECT_EQ(count(4), 1U);
    EXPECT_EQ(count(8), 1U);
    EXPECT_EQ(count(12), 2U);
}

TEST(Damage, SizesThatNoFileCanHoldAreRefused) {
    const std::string pixels = chunk("IDAT", deflated(std::string(64, '\0'))) + chunk("IEND", "");
    for (const auto& [width, height] :
         std::initializer_list<std::pair<std::uint32_t, std::uint32_t>>{{0x80000000U, 0x80000000U},
                                                                        {0x7FFFFFFFU, 0x7FFFFFFFU},
                                                                        {0, 1},
                                                                        {1, 0},
                                                                        {999999, 999999},
                                                                        {16000, 16000}}) {
        EXPECT_EQ(decode(bytes_of(png_header(width, height) + pixels)), ErrorCode::model_invalid) << width;
    }
    auto jpeg = encode_jpeg(gradient(16, 16), 90, {});
    std::string file(reinterpret_cast<const char*>(jpeg.data()), jpeg.size());
    const std::size_t frame = file.find("\xFF\xC0");
    ASSERT_NE(frame, std::string::npos);
    for (const std::string& size : {"\xFF\xFF\xFF\xFF"s, "\x3F\xFF\x3F\xFF"s, "\0\0\0\x10"s, "\0\x10\0\0"s}) {
        file.replace(frame + 5, 4, size);
        EXPECT_EQ(decode(bytes_of(file)), ErrorCode::model_invalid);
    }
    // Lossless pixels of one colour take no bit each: 17 bytes could claim a gigabyte.
    const Image black{1, 1, {0, 0, 0}};
    std::string webp = text_of(encode_webp(black, 100, {}));
    const std::size_t sides = webp.find("VP8L") + 9;  // two times 14 bits
    webp.replace(sides, 4, little_endian(16382U | 16382U << 14U));
    EXPECT_EQ(decode(bytes_of(webp)), ErrorCode::model_invalid);
    webp.replace(sides, 4, little_endian(2047U | 1023U << 14U));
    EXPECT_EQ(decode_image(bytes_of(webp), "test").image.rgb, std::vector<std::uint8_t>(2048 * 1024 * 3, 0));
}

TEST(Damage, TextBombsAreRefused) {
    const std::string bomb = deflated(std::string(std::size_t{64} << 20U, 'x'));
    for (const std::string& text :
         {chunk("zTXt", "parameters\0\0"s + bomb), chunk("iTXt", "parameters\0\x01\0\0\0"s + bomb)}) {
        for (const std::string& file : {tiny_png(text), tiny_png({}, text)}) {
            EXPECT_EQ(decode(bytes_of(file)), ErrorCode::model_invalid);
            EXPECT_EQ(decode_info(bytes_of(file)), ErrorCode::model_invalid);
        }
    }
    std::string many;
    for (int i = 0; i < 1000; ++i) many += chunk("tEXt", "k\0v"s);
    EXPECT_EQ(decode(bytes_of(tiny_png(many))), ErrorCode::model_invalid);
    // Chunks that we do not use cost nothing, whatever they hold.
    EXPECT_EQ(decode(bytes_of(tiny_png(chunk("iCCP", "p\0\0"s + bomb)))), std::nullopt);
}

TEST(Damage, SenselessExifCountsAsAbsent) {
    const std::string head = "MM\0*\0\0\0\x08"s;
    const std::string orientation9 = head + "\0\x01\x01\x12\0\x03\0\0\0\x01\0\x09\0\0\0\0\0\0"s;
    const std::string loop = head + "\0\x01\x87\x69\0\x04\0\0\0\x01\0\0\0\x08\0\0\0\x08"s;
    const std::string huge = head + "\xFF\xFF\x92\x86\0\x07\xFF\xFF\xFF\xFF\0\0\0\x08"s;
    for (const std::string& exif : {orientation9, loop, huge, head}) {
        const auto bytes = bytes_of(tiny_png(chunk("eXIf", exif)));
        EXPECT_EQ(decode_image(bytes, "test").info.orientation, 1U);
    }
}

TEST(Damage, AFullDiskLeavesNothingBehind) {
    const TemporaryFolder folder;
    const Image image = gradient(256, 256);
    with_full_disk_after(1024, [&] {
        EXPECT_EQ(code_of([&] { write_png(folder / "a.png", image, {}); }), ErrorCode::io);
        EXPECT_EQ(code_of([&] { write_jpeg(folder / "a.jpg", image, 95, {}); }), ErrorCode::io);
    });
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace gass
