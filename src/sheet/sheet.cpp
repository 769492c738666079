#include "sheet/sheet.h"

#include "core/fail.h"
#include "io/image_codec.h"
#include "sheet/resize.h"
#include "sheet/text_painter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace gass {
namespace {

constexpr Color kBackground{250, 250, 249};
constexpr Color kEmpty{236, 236, 234};
constexpr Color kTitle{28, 28, 30};
constexpr Color kLabel{72, 72, 76};
constexpr Color kSubtitle{120, 120, 126};

// A label such as "seed 1234567890" needs about this many pixels at the smallest size that reads well.
constexpr std::uint32_t kComfortableSide = 256;
constexpr unsigned kSmallestText = 13;
constexpr std::size_t kTitleLines = 3;
constexpr std::size_t kSubtitleLines = 2;
constexpr std::size_t kRowLabelLines = 3;
constexpr std::size_t kNoteLines = 2;

/// The pictures as they come.
struct Content {
    std::size_t columns = 0;
    std::uint32_t width = 0;  // of the widest
    std::uint32_t height = 0;
    std::size_t label_lines = 0;
    bool has_row_labels = false;
};

Content content_of(const Sheet& sheet) {
    Content content;
    for (const SheetRow& row : sheet.rows) {
        content.columns = std::max(content.columns, row.cells.size());
        content.has_row_labels = content.has_row_labels || !row.label.empty();
        for (const SheetCell& cell : row.cells) {
            content.label_lines =
                std::max(content.label_lines, cell.notes.size() + (cell.label.empty() ? 0 : 1));
            if (cell.image == nullptr) continue;
            check_writable(*cell.image, "contact sheet");
            content.width = std::max(content.width, cell.image->width);
            content.height = std::max(content.height, cell.image->height);
        }
    }
    if (content.columns == 0) fail(ErrorCode::usage, "contact sheet", "there are no pictures to show");
    if (content.width == 0) content.width = content.height = kComfortableSide;
    return content;
}

/// Where everything goes, for pictures shown at one scale.
struct Layout {
    double scale = 1;
    std::int64_t picture_width = 0;
    std::int64_t picture_height = 0;
    unsigned label_size = 0;
    unsigned title_size = 0;
    unsigned subtitle_size = 0;
    std::int64_t margin = 0;
    std::int64_t gap = 0;
    std::int64_t label_height = 0;     // under a picture, its distance included
    std::int64_t row_label_width = 0;  // left of a row, its distance included
    std::int64_t header_height = 0;    // above the pictures, its distance included
    std::vector<std::string> title;
    std::vector<std::string> subtitle;  // with the notes
    std::int64_t width = 0;
    std::int64_t height = 0;

    std::int64_t picture_left(std::size_t column) const {
        return margin + row_label_width + static_cast<std::int64_t>(column) * (picture_width + gap);
    }
    std::int64_t picture_top(std::size_t row) const {
        return margin + header_height +
               static_cast<std::int64_t>(row) * (picture_height + label_height + gap);
    }
    bool fits() const { return width <= kMaxSheetSide && height <= kMaxSheetSide; }
};

std::int64_t scaled(std::uint32_t side, double scale) {
    return std::max<std::int64_t>(1, std::llround(side * scale));
}

std::int64_t row_label_width(const Sheet& sheet, const TextPainter& painter, const Layout& layout) {
    const std::int64_t most = std::max<std::int64_t>(layout.picture_width / 3, layout.label_size * 5);
    std::int64_t widest = 0;
    for (const SheetRow& row : sheet.rows) {
        for (const std::string& line : painter.wrap(row.label, layout.label_size, most, kRowLabelLines))
            widest = std::max(widest, painter.width(line, layout.label_size));
    }
    return widest;
}

std::int64_t text_height(const TextPainter& painter, const std::vector<std::string>& lines, unsigned size) {
    return static_cast<std::int64_t>(lines.size()) * painter.height(size).total();
}

Layout lay_out(const Sheet& sheet, const Content& content, const TextPainter& painter, double scale) {
    Layout layout;
    layout.scale = scale;
    layout.picture_width = scaled(content.width, scale);
    layout.picture_height = scaled(content.height, scale);
    // Text grows slower than the pictures: large ones are looked at from nearer.
    const auto side = static_cast<unsigned>(std::max(layout.picture_width, layout.picture_height));
    layout.label_size = std::max(kSmallestText, 7 + side / 32);
    layout.title_size = layout.label_size * 3 / 2;
    layout.subtitle_size = layout.label_size;
    layout.gap = std::max<std::int64_t>(side / 20, 4);
    layout.margin = layout.gap * 2;
    if (content.label_lines > 0) {
        layout.label_height =
            static_cast<std::int64_t>(content.label_lines) * painter.height(layout.label_size).total() +
            layout.gap / 3;
    }
    if (content.has_row_labels) layout.row_label_width = row_label_width(sheet, painter, layout) + layout.gap;

    layout.width = layout.picture_left(content.columns) - layout.gap + layout.margin;
    const std::int64_t line = layout.width - 2 * layout.margin;
    layout.title = painter.wrap(sheet.title, layout.title_size, line, kTitleLines);
    layout.subtitle = painter.wrap(sheet.subtitle, layout.subtitle_size, line, kSubtitleLines);
    for (const std::string& note : sheet.notes) {
        const auto lines = painter.wrap(note, layout.subtitle_size, line, kNoteLines);
        layout.subtitle.insert(layout.subtitle.end(), lines.begin(), lines.end());
    }
    layout.header_height = text_height(painter, layout.title, layout.title_size) +
                           text_height(painter, layout.subtitle, layout.subtitle_size);
    if (!layout.title.empty() && !layout.subtitle.empty()) layout.header_height += layout.gap / 3;
    if (layout.header_height > 0) layout.header_height += layout.gap * 3 / 2;
    layout.height = layout.picture_top(sheet.rows.size()) - layout.gap + layout.margin;
    return layout;
}

/// The layout of the largest scale up to `scale` that fits.
Layout largest_layout(const Sheet& sheet, const Content& content, const TextPainter& painter, double scale) {
    Layout layout = lay_out(sheet, content, painter, scale);
    while (!layout.fits()) {
        const auto excess = static_cast<double>(std::max(layout.width, layout.height)) / kMaxSheetSide;
        if (layout.picture_width == 1 && layout.picture_height == 1) {
            fail(ErrorCode::usage, "contact sheet",
                 "{} rows of {} pictures do not fit on a sheet of {} pixels; make several", sheet.rows.size(),
                 content.columns, kMaxSheetSide);
        }
        // Text does not shrink below what can be read, so one step may not be enough.
        layout = lay_out(sheet, content, painter, layout.scale / std::max(excess, 1.02));
    }
    return layout;
}

void fill(Image& image, std::int64_t left, std::int64_t top, std::int64_t width, std::int64_t height,
          Color color) {
    for (std::int64_t y = top; y < top + height; ++y) {
        std::uint8_t* pixel = image.rgb.data() + (y * image.width + left) * 3;
        for (std::int64_t x = 0; x < width; ++x) {
            *pixel++ = color.red;
            *pixel++ = color.green;
            *pixel++ = color.blue;
        }
    }
}

void place(Image& sheet, const Image& picture, std::int64_t left, std::int64_t top) {
    const std::size_t stride = std::size_t{picture.width} * 3;
    for (std::int64_t y = 0; y < picture.height; ++y) {
        std::copy_n(picture.rgb.data() + static_cast<std::size_t>(y) * stride, stride,
                    sheet.rgb.data() + ((top + y) * sheet.width + left) * 3);
    }
}

Image at_scale(const Image& picture, double scale) {
    if (scale > 1) return enlarged(picture, static_cast<std::uint32_t>(scale));
    return reduced(picture, static_cast<std::uint32_t>(scaled(picture.width, scale)),
                   static_cast<std::uint32_t>(scaled(picture.height, scale)));
}

/// Draws a sheet piece by piece, once its layout is known.
class SheetPainter {
  public:
    SheetPainter(const TextPainter& painter, const Layout& layout) : text_(painter), layout_(layout) {
        image_.width = static_cast<std::uint32_t>(layout.width);
        image_.height = static_cast<std::uint32_t>(layout.height);
        image_.rgb = reserve_bytes(std::size_t{image_.width} * image_.height * 3, "contact sheet");
        fill(image_, 0, 0, layout.width, layout.height, kBackground);
    }

    void draw_header() {
        std::int64_t top = draw_lines(layout_.title, layout_.title_size, layout_.margin, kTitle);
        if (!layout_.title.empty()) top += layout_.gap / 3;
        draw_lines(layout_.subtitle, layout_.subtitle_size, top, kSubtitle);
    }

    void draw_row(const SheetRow& row, std::size_t index) {
        const std::int64_t top = layout_.picture_top(index);
        const auto lines =
            text_.wrap(row.label, layout_.label_size, layout_.row_label_width - layout_.gap, kRowLabelLines);
        draw_lines(lines, layout_.label_size,
                   top + (layout_.picture_height - text_height(text_, lines, layout_.label_size)) / 2,
                   kTitle);
        for (std::size_t column = 0; column < row.cells.size(); ++column)
            draw_cell(row.cells[column], layout_.picture_left(column), top);
    }

    Image take() { return std::move(image_); }

  private:
    /// Lines from the left margin downwards; returns where they end.
    std::int64_t draw_lines(const std::vector<std::string>& lines, unsigned size, std::int64_t top,
                            Color color) {
        const TextHeight height = text_.height(size);
        for (const std::string& line : lines) {
            text_.draw(image_, line, size, layout_.margin, top + height.ascent, color);
            top += height.total();
        }
        return top;
    }

    void draw_cell(const SheetCell& cell, std::int64_t left, std::int64_t top) {
        if (cell.image == nullptr) {
            fill(image_, left, top, layout_.picture_width, layout_.picture_height, kEmpty);
        } else {
            const Image shown = at_scale(*cell.image, layout_.scale);
            place(image_, shown, left + (layout_.picture_width - shown.width) / 2,
                  top + (layout_.picture_height - shown.height) / 2);
        }
        std::int64_t below = top + layout_.picture_height + layout_.gap / 3;
        below = draw_centred(cell.label, left, below, kLabel);
        for (const std::string& note : cell.notes) below = draw_centred(note, left, below, kSubtitle);
    }

    /// A line under a picture; returns where it ends.
    std::int64_t draw_centred(const std::string& text, std::int64_t left, std::int64_t top, Color color) {
        // It may use half of the gap on both sides.
        const auto lines = text_.wrap(text, layout_.label_size, layout_.picture_width + layout_.gap / 2, 1);
        if (lines.empty()) return top;
        const TextHeight height = text_.height(layout_.label_size);
        const std::int64_t width = text_.width(lines.front(), layout_.label_size);
        text_.draw(image_, lines.front(), layout_.label_size, left + (layout_.picture_width - width) / 2,
                   top + height.ascent, color);
        return top + height.total();
    }

    const TextPainter& text_;
    const Layout& layout_;
    Image image_;
};

}  // namespace

Image draw_sheet(const Sheet& sheet) {
    const Content content = content_of(sheet);
    const TextPainter painter;
    const std::uint32_t factor = std::max(1U, kComfortableSide / std::max(content.width, content.height));
    Layout layout = lay_out(sheet, content, painter, factor);
    // Only whole factors enlarge; below that, the largest scale that fits.
    if (!layout.fits()) layout = largest_layout(sheet, content, painter, 1.0);
    SheetPainter sheet_painter(painter, layout);
    sheet_painter.draw_header();
    for (std::size_t row = 0; row < sheet.rows.size(); ++row) sheet_painter.draw_row(sheet.rows[row], row);
    return sheet_painter.take();
}

}  // namespace gass
