#include "sheet/text_painter.h"

#include "core/fail.h"
#include "io/model_lookup.h"
#include "sheet/characters.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include <algorithm>
#include <filesystem>

namespace gass {
namespace {

// FreeType counts in 64ths of a pixel.
constexpr std::int64_t kUnit = 64;

std::int64_t rounded_up(std::int64_t units) {
    return (units + kUnit - 1) / kUnit;
}

std::uint8_t mixed(std::uint8_t below, std::uint8_t color, unsigned coverage) {
    return static_cast<std::uint8_t>((below * (255U - coverage) + color * coverage + 127U) / 255U);
}

void draw_bitmap(Image& image, const FT_Bitmap& bitmap, std::int64_t left, std::int64_t top, Color color) {
    for (std::int64_t row = 0; row < bitmap.rows; ++row) {
        const std::int64_t y = top + row;
        if (y < 0 || y >= image.height) continue;
        for (std::int64_t column = 0; column < bitmap.width; ++column) {
            const std::int64_t x = left + column;
            if (x < 0 || x >= image.width) continue;
            const unsigned coverage = bitmap.buffer[row * bitmap.pitch + column];
            std::uint8_t* pixel = image.rgb.data() + (y * image.width + x) * 3;
            pixel[0] = mixed(pixel[0], color.red, coverage);
            pixel[1] = mixed(pixel[1], color.green, coverage);
            pixel[2] = mixed(pixel[2], color.blue, coverage);
        }
    }
}

}  // namespace

/// The open font file, and the pen that goes over a line of text.
class TextPainter::Typeface {
  public:
    Typeface() {
        const std::filesystem::path path = data_folder() / "fonts" / "DejaVuSans.ttf";
        if (!std::filesystem::exists(path)) {
            fail(ErrorCode::model_not_found, path.string(), "the typeface of contact sheets is missing");
        }
        if (FT_Init_FreeType(&library_) != 0) fail(ErrorCode::failure, "FreeType", "cannot be started");
        if (FT_New_Face(library_, path.c_str(), 0, &face_) != 0 || !FT_IS_SCALABLE(face_)) {
            FT_Done_FreeType(library_);
            fail(ErrorCode::model_invalid, path.string(), "cannot be read as a typeface");
        }
    }
    ~Typeface() { FT_Done_FreeType(library_); }  // with its faces
    Typeface(const Typeface&) = delete;
    Typeface& operator=(const Typeface&) = delete;

    TextHeight height(unsigned size) {
        set_size(size);
        return {rounded_up(face_->size->metrics.ascender), rounded_up(-face_->size->metrics.descender)};
    }

    void set_size(unsigned size) { FT_Set_Pixel_Sizes(face_, 0, size); }

    /// Loads a character's glyph; returns how far the pen moves for it, in FreeType's units.
    std::int64_t load(char32_t character) {
        const FT_UInt glyph = FT_Get_Char_Index(face_, character);
        // Heights fit the pixels, so that lines are sharp; widths stay as designed, so that words are even.
        if (FT_Load_Glyph(face_, glyph, FT_LOAD_TARGET_LIGHT) != 0) return 0;
        return face_->glyph->linearHoriAdvance / 1024;  // 16.16 to 26.6
    }

    /// How far the pen moves between two characters; the first one has none before it, 0.
    std::int64_t kerning(char32_t before, char32_t character) {
        FT_Vector distance{};
        if (before == 0) return 0;
        FT_Get_Kerning(face_, FT_Get_Char_Index(face_, before), FT_Get_Char_Index(face_, character),
                       FT_KERNING_UNFITTED, &distance);
        return distance.x;
    }

    /// Draws the loaded glyph at a place between pixels.
    void draw_loaded(Image& image, std::int64_t pen, std::int64_t baseline, Color color) {
        FT_GlyphSlot glyph = face_->glyph;
        if (glyph->format != FT_GLYPH_FORMAT_OUTLINE) return;
        const std::int64_t pixel = pen >= 0 ? pen / kUnit : -rounded_up(-pen);
        FT_Outline_Translate(&glyph->outline, pen - pixel * kUnit, 0);
        if (FT_Render_Glyph(glyph, FT_RENDER_MODE_NORMAL) != 0) return;
        draw_bitmap(image, glyph->bitmap, pixel + glyph->bitmap_left, baseline - glyph->bitmap_top, color);
    }

  private:
    FT_Library library_ = nullptr;
    FT_Face face_ = nullptr;
};

TextPainter::TextPainter() : typeface_(std::make_unique<Typeface>()) {
}
TextPainter::~TextPainter() = default;

TextHeight TextPainter::height(unsigned size) const {
    return typeface_->height(size);
}

std::int64_t TextPainter::width(std::string_view text, unsigned size) const {
    typeface_->set_size(size);
    std::int64_t pen = 0;
    char32_t before = 0;
    for (const char32_t character : drawn_characters(text)) {
        pen += typeface_->kerning(before, character) + typeface_->load(character);
        before = character;
    }
    return rounded_up(pen);
}

std::vector<std::string> TextPainter::wrap(std::string_view text, unsigned size, std::int64_t max_width,
                                           std::size_t max_lines) const {
    typeface_->set_size(size);
    const std::u32string characters = drawn_characters(text);
    const std::u32string_view all = characters;
    const std::int64_t ellipsis = typeface_->load(kEllipsis);
    const std::int64_t limit = max_width * kUnit;

    std::vector<std::string> lines;
    std::size_t start = 0;
    while (start < all.size() && lines.size() < max_lines) {
        // One walk finds the end of the line, the last space before it, and what fits together with "…".
        std::size_t end = start;
        std::size_t last_space = start;
        std::size_t end_with_ellipsis = start;
        std::int64_t pen = 0;
        for (char32_t before = 0; end < all.size(); ++end) {
            pen += typeface_->kerning(before, all[end]) + typeface_->load(all[end]);
            if (pen > limit) break;
            before = all[end];
            if (before == U' ') last_space = end;
            if (pen + ellipsis <= limit) end_with_ellipsis = end + 1;
        }
        const bool is_rest = end == all.size();
        if (!is_rest && lines.size() + 1 == max_lines) {
            std::u32string_view line = all.substr(start, end_with_ellipsis - start);
            if (line.ends_with(U' ')) line.remove_suffix(1);
            lines.push_back(to_utf8(line) + to_utf8(std::u32string_view(&kEllipsis, 1)));
            break;
        }
        if (!is_rest && all[end] != U' ' && last_space > start) end = last_space;
        end = std::max(end, start + 1);  // a character wider than the line
        lines.push_back(to_utf8(all.substr(start, end - start)));
        start = end < all.size() && all[end] == U' ' ? end + 1 : end;
    }
    return lines;
}

void TextPainter::draw(Image& image, std::string_view text, unsigned size, std::int64_t x,
                       std::int64_t baseline, Color color) const {
    typeface_->set_size(size);
    std::int64_t pen = x * kUnit;
    char32_t before = 0;
    for (const char32_t character : drawn_characters(text)) {
        pen += typeface_->kerning(before, character);
        const std::int64_t advance = typeface_->load(character);
        typeface_->draw_loaded(image, pen, baseline, color);
        pen += advance;
        before = character;
    }
}

}  // namespace gass
