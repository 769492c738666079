#pragma once

#include "io/image.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

struct Color {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
};

/// How far letters reach above and below the line they stand on, in pixels.
struct TextHeight {
    std::int64_t ascent = 0;
    std::int64_t descent = 0;

    std::int64_t total() const { return ascent + descent; }
};

/// Measures and draws single lines of text, in the typeface that comes with gass. Any bytes will do: control
/// characters and line breaks count as spaces, what is no UTF-8 becomes U+FFFD, a character that the typeface
/// lacks shows as a box, and what comes after some thousand characters as "…". Letters stand from left to
/// right in the order of the text, each for itself: right-to-left scripts are neither turned nor joined.
class TextPainter {
  public:
    /// Throws model_not_found if the typeface is missing, model_invalid if it is damaged.
    TextPainter();
    ~TextPainter();
    TextPainter(const TextPainter&) = delete;
    TextPainter& operator=(const TextPainter&) = delete;

    TextHeight height(unsigned size) const;
    std::int64_t width(std::string_view text, unsigned size) const;

    /// The text in lines of at most `max_width` pixels, broken at spaces where there are any; no more than
    /// `max_lines` of them, the last then ending in "…". An empty text has no lines.
    std::vector<std::string> wrap(std::string_view text, unsigned size, std::int64_t max_width,
                                  std::size_t max_lines) const;

    /// Draws one line whose first letter begins at `x`; what lies outside of the image is left out.
    void draw(Image& image, std::string_view text, unsigned size, std::int64_t x, std::int64_t baseline,
              Color color) const;

  private:
    class Typeface;
    std::unique_ptr<Typeface> typeface_;
};

}  // namespace gass
