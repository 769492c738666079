#include "sheet/text_painter.h"

#include "sheet/characters.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>

namespace gass {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::IsEmpty;

Image white(std::uint32_t width, std::uint32_t height) {
    return {width, height, std::vector<std::uint8_t>(std::size_t{width} * height * 3, 255)};
}

std::string cleaned(std::string_view text) {
    return to_utf8(drawn_characters(text));
}

TEST(Characters, AreThoseThatShow) {
    EXPECT_EQ(cleaned("  a\t\n\x01 b\x7f "), "a b");
    EXPECT_EQ(cleaned("a\xff\xfe\xc3"), "a\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(cleaned("e\u0301"), "é");
    EXPECT_EQ(cleaned("a\u200d\ufe0f\u202e\ufeffb"), "ab");
    EXPECT_EQ(cleaned("a\0b"s), "a b");
    EXPECT_EQ(cleaned(""), "");
    EXPECT_LT(cleaned(std::string(10'000'000, 'x')).size(), 10'000U);
    EXPECT_TRUE(cleaned(std::string(100'000, 'x')).ends_with("…"));
}

TEST(TextPainter, MeasuresWhatItDraws) {
    const TextPainter painter;
    for (const char* text : {"a red car", "WAVE", "Größe", "…"}) {
        const std::int64_t width = painter.width(text, 20);
        const TextHeight height = painter.height(20);
        Image image =
            white(static_cast<std::uint32_t>(width) + 20, static_cast<std::uint32_t>(height.total()));
        painter.draw(image, text, 20, 10, height.ascent, {0, 0, 0});
        std::int64_t left = image.width;
        std::int64_t right = 0;
        for (std::size_t i = 0; i < image.rgb.size(); i += 3) {
            if (image.rgb[i] > 200) continue;
            const auto x = static_cast<std::int64_t>(i / 3 % image.width);
            left = std::min(left, x);
            right = std::max(right, x);
        }
        EXPECT_NEAR(static_cast<double>(left), 10, 3) << text;
        EXPECT_NEAR(static_cast<double>(right), static_cast<double>(10 + width), 3) << text;
    }
    EXPECT_EQ(painter.width("", 20), 0);
    EXPECT_GT(painter.width("a red car", 40), painter.width("a red car", 20) * 19 / 10);
}

TEST(TextPainter, ShowsABoxForWhatTheTypefaceLacks) {
    const TextPainter painter;
    Image box = white(40, 40);
    painter.draw(box, "\U0001F9FF", 24, 5, 30, {0, 0, 0});
    EXPECT_NE(box, white(40, 40));
}

TEST(TextPainter, Wraps) {
    const TextPainter painter;
    const auto lines = [&](std::string_view text, const char* widest, std::size_t most) {
        return painter.wrap(text, 16, painter.width(widest, 16), most);
    };
    EXPECT_THAT(lines("a red car on a field", "on a field", 9), ElementsAre("a red car", "on a field"));
    EXPECT_THAT(lines("one two three four", "one two ", 2), ElementsAre("one two", testing::EndsWith("…")));
    EXPECT_THAT(lines("WWWWWWWW", "WWWWW", 5), ElementsAre("WWWWW", "WWW"));
    EXPECT_THAT(lines("WWW", "i", 3), ElementsAre("W", "W", "…"));
    EXPECT_THAT(lines("", "W", 3), IsEmpty());
    EXPECT_THAT(lines("   \n", "W", 3), IsEmpty());
    EXPECT_THAT(lines("a", "W", 0), IsEmpty());
}

TEST(TextPainter, TakesAnyBytes) {
    const TextPainter painter;
    EXPECT_TRUE(rc::check([&] {
        std::string text = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
        text +=
            *rc::gen::element("", "\u0301\u0301\u0301", "שלום עולם", "مرحبا", "👩‍👩‍👧", "\u202e");
        const auto width = *rc::gen::inRange<std::int64_t>(1, 400);
        const auto most = *rc::gen::inRange<std::size_t>(1, 5);
        const auto lines = painter.wrap(text, 14, width, most);
        RC_ASSERT(lines.size() <= most);
        Image image = white(50, 20);
        for (const std::string& line : lines) {
            // Only a line of a single character may be wider.
            RC_ASSERT(painter.width(line, 14) <= width || drawn_characters(line).size() == 1);
            painter.draw(image, line, 14, *rc::gen::inRange(-60, 60), *rc::gen::inRange(-30, 50), {0, 0, 0});
        }
    }));
}

TEST(TextPainter, SaysWhichFileIsMissingOrDamaged) {
    const test::TemporaryFolder folder;
    ::setenv("GASS_DATA_DIR", folder.path().c_str(), 1);
    test::expect_error(ErrorCode::model_not_found, "DejaVuSans.ttf", [] { TextPainter(); });
    folder.write("fonts/DejaVuSans.ttf", "no typeface");
    test::expect_error(ErrorCode::model_invalid, "DejaVuSans.ttf", [] { TextPainter(); });
    ::unsetenv("GASS_DATA_DIR");
}

}  // namespace
}  // namespace gass
