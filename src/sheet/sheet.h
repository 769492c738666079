#pragma once

#include "io/image.h"

#include <string>
#include <vector>

namespace gass {

struct SheetCell {
    const Image* image = nullptr;         ///< none: an empty place
    std::string label;                    ///< under the picture: "seed 42"
    std::vector<std::string> notes = {};  ///< under the label, a line each
};

struct SheetRow {
    std::string label;  ///< left of the row; may be empty
    std::vector<SheetCell> cells;
};

struct Sheet {
    std::string title;     ///< the prompt
    std::string subtitle;  ///< model, steps, …
    std::vector<SheetRow> rows;
    std::vector<std::string> notes = {};  ///< under the subtitle, each on lines of its own
};

/// No side of a sheet is longer.
inline constexpr std::uint32_t kMaxSheetSide = 16384;

/// Draws pictures in rows, with their labels. All pictures keep their scale to each other: small ones are
/// shown enlarged by a whole factor, and all are shown reduced where the sheet would be too large. Throws
/// usage if there are more than a sheet can show.
Image draw_sheet(const Sheet& sheet);

/// Puts the cells of one group into rows of a pleasing number of columns, by the pictures' aspect ratio: 8
/// square ones into 2 rows of 4, 9 into 3 of 3, 10 into 2 of 5, 4 into one.
std::vector<SheetRow> arrange(std::vector<SheetCell> cells);

}  // namespace gass
