#include "sheet/sheet.h"

#include "support/expect_error.h"

#include <rapidcheck.h>

#include <algorithm>
#include <array>

namespace gass {
namespace {

using test::expect_error;
using testing::ElementsAre;

constexpr std::array<std::uint8_t, 3> kRed{255, 0, 0};

Image red(std::uint32_t width, std::uint32_t height) {
    Image image{width, height, {}};
    for (std::size_t i = 0; i < std::size_t{width} * height; ++i)
        image.rgb.insert(image.rgb.end(), kRed.begin(), kRed.end());
    return image;
}

std::size_t red_pixels(const Image& image) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < image.rgb.size(); i += 3)
        count += std::equal(kRed.begin(), kRed.end(), image.rgb.begin() + static_cast<std::ptrdiff_t>(i))
                     ? 1U
                     : 0U;
    return count;
}

std::vector<std::size_t> row_lengths(std::size_t count, const Image& picture) {
    std::vector<std::size_t> lengths;
    for (const SheetRow& row : arrange(std::vector<SheetCell>(count, {&picture, ""})))
        lengths.push_back(row.cells.size());
    return lengths;
}

TEST(Arrange, PleasesTheEye) {
    const Image square = red(2, 2);
    EXPECT_THAT(row_lengths(1, square), ElementsAre(1));
    EXPECT_THAT(row_lengths(4, square), ElementsAre(4));
    EXPECT_THAT(row_lengths(5, square), ElementsAre(5));
    EXPECT_THAT(row_lengths(6, square), ElementsAre(3, 3));
    EXPECT_THAT(row_lengths(7, square), ElementsAre(4, 3));
    EXPECT_THAT(row_lengths(8, square), ElementsAre(4, 4));
    EXPECT_THAT(row_lengths(9, square), ElementsAre(3, 3, 3));
    EXPECT_THAT(row_lengths(10, square), ElementsAre(5, 5));
    EXPECT_THAT(row_lengths(12, square), ElementsAre(4, 4, 4));
    EXPECT_THAT(row_lengths(16, square), ElementsAre(4, 4, 4, 4));
    EXPECT_EQ(row_lengths(64, square), std::vector<std::size_t>(8, 8));
    EXPECT_EQ(row_lengths(100, square), std::vector<std::size_t>(10, 10));
    EXPECT_THAT(row_lengths(4, red(16, 9)), ElementsAre(2, 2));
    EXPECT_THAT(row_lengths(8, red(2, 3)), ElementsAre(4, 4));
    EXPECT_TRUE(arrange({}).empty());
}

TEST(Arrange, KeepsEveryCellInOrder) {
    EXPECT_TRUE(rc::check([] {
        const auto count = *rc::gen::inRange<std::size_t>(1, 300);
        const Image picture = red(*rc::gen::inRange(1U, 50U), *rc::gen::inRange(1U, 50U));
        std::vector<SheetCell> cells;
        for (std::size_t i = 0; i < count; ++i) cells.push_back({&picture, std::to_string(i)});
        std::size_t next = 0;
        const auto rows = arrange(cells);
        for (const SheetRow& row : rows) {
            RC_ASSERT(!row.cells.empty() && row.cells.size() <= rows.front().cells.size());
            for (const SheetCell& cell : row.cells) RC_ASSERT(cell.label == std::to_string(next++));
        }
        RC_ASSERT(next == count);
    }));
}

TEST(Sheet, ShowsEveryPictureWhole) {
    const Image large = red(300, 200);
    const Image other = red(256, 300);
    const Image sheet =
        draw_sheet({"a prompt", "mini-flow", {{"one", {{&large, "seed 1"}, {&other, ""}}}, {"two", {{}}}}});
    EXPECT_EQ(red_pixels(sheet), 300U * 200U + 256U * 300U);
    const Image small = red(100, 50);
    EXPECT_EQ(red_pixels(draw_sheet({"", "", {{"", {{&small, ""}}}}})), 200U * 100U);  // enlarged twice
}

TEST(Sheet, IsTheSameEveryTime) {
    const Image picture = red(64, 64);
    const Sheet sheet{"a prompt", "mini-flow", {{"one", {{&picture, "seed 1"}}}}};
    EXPECT_EQ(draw_sheet(sheet), draw_sheet(sheet));
}

TEST(Sheet, NeverGrowsTooLarge) {
    const Image wide = red(9000, 20);
    const Image sheet = draw_sheet({"a prompt", "", {{"", {{&wide, "a"}, {&wide, "b"}}}}});
    EXPECT_LE(sheet.width, kMaxSheetSide);
    EXPECT_GT(sheet.width, kMaxSheetSide * 9 / 10);
    const Image picture = red(256, 256);
    const Image many = draw_sheet({"", "", {{"", std::vector<SheetCell>(500, {&picture, ""})}}});
    EXPECT_LE(many.width, kMaxSheetSide);
    expect_error(ErrorCode::usage, "do not fit", [&] {
        draw_sheet({"", "", {{"", std::vector<SheetCell>(20'000, {&picture, ""})}}});
    });
}

TEST(Sheet, RefusesWhatIsNoPicture) {
    expect_error(ErrorCode::usage, "no pictures", [] { draw_sheet({"a", "b", {}}); });
    const Image broken{10, 10, {1, 2, 3}};
    expect_error(ErrorCode::usage, "contact sheet", [&] { draw_sheet({"", "", {{"", {{&broken, ""}}}}}); });
}

TEST(Sheet, TakesAnyText) {
    const Image picture = red(8, 8);
    const std::string marks = [] {
        std::string text = "a";
        for (int i = 0; i < 30'000; ++i) text += "\u0301";
        return text;
    }();
    for (const std::string& text :
         {std::string(60'000, 'x'), std::string(60'000, '\x01'), std::string(60'000, '\xff'), marks,
          std::string("שלום עולם مرحبا 👩‍👩‍👧 \x1b[2J"), std::string(1000, '\0')}) {
        const Image sheet = draw_sheet({text, text, {{text, {{&picture, text}}}}});
        EXPECT_LT(sheet.width, 1000U);
        EXPECT_LT(sheet.height, 1000U);
    }
}

TEST(Sheet, HasRoomForNotes) {
    const Image picture = red(256, 256);
    const auto drawn = [&](std::vector<std::string> of_sheet, std::vector<std::string> of_cell) {
        const Sheet sheet{
            "a prompt",
            "mini-flow",
            {{"", {{&picture, "seed 1", of_cell}, {&picture, "seed 2"}}}, {"", {{&picture, "seed 3"}}}},
            std::move(of_sheet)};
        const Image image = draw_sheet(sheet);
        EXPECT_EQ(red_pixels(image), 3U * 256 * 256);  // nothing is drawn over a picture
        return image;
    };
    const Image plain = drawn({}, {});
    const Image one = drawn({"without: rain"}, {});
    const Image two = drawn({"without: rain", "from car.png"}, {});
    EXPECT_GT(one.height, plain.height);
    EXPECT_EQ(two.height - one.height, one.height - plain.height);
    EXPECT_EQ(drawn({"without: " + std::string(9000, 'w')}, {}).height, two.height);  // two lines at most

    // The rows keep their distance, also where one picture alone has notes.
    const Image noted = drawn({}, {"at noon 67 %"});
    EXPECT_EQ(drawn({}, {"at noon 67 %", "blue"}).height - noted.height, noted.height - plain.height);
    EXPECT_EQ((noted.height - plain.height) % 2, 0U);
    EXPECT_NE(drawn({}, {"at noon 33 %"}), noted);
    EXPECT_EQ(noted.width, plain.width);
}

}  // namespace
}  // namespace gass
