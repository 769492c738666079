#include "sheet/sheet.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

namespace gass {
namespace {

/// Width by height of the place that every picture has.
double aspect_ratio(const std::vector<SheetCell>& cells) {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    for (const SheetCell& cell : cells) {
        if (cell.image == nullptr) continue;
        width = std::max(width, cell.image->width);
        height = std::max(height, cell.image->height);
    }
    return width > 0 && height > 0 ? static_cast<double>(width) / height : 1.0;
}

/// Sheets near the shape of a screen please most; a last row that is not full displeases, the more so the
/// larger its gap is among the pictures.
std::size_t pleasing_columns(std::size_t count, double aspect) {
    constexpr std::size_t kOneRow = 5;
    constexpr double kWidestRow = 6.0;
    constexpr double kScreen = 1.6;
    if (count <= kOneRow && static_cast<double>(count) * aspect <= kWidestRow) return count;
    std::size_t best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t columns = 1; columns <= count; ++columns) {
        const std::size_t rows = (count + columns - 1) / columns;
        const std::size_t gap = rows * columns - count;
        const double shape = static_cast<double>(columns) * aspect / static_cast<double>(rows);
        const double displeasure =
            std::abs(std::log(shape / kScreen)) +
            (gap > 0 ? 0.3 + 5.0 * static_cast<double>(gap) / static_cast<double>(count) : 0.0);
        if (displeasure < least) {
            least = displeasure;
            best = columns;
        }
    }
    return best;
}

}  // namespace

std::vector<SheetRow> arrange(std::vector<SheetCell> cells) {
    std::vector<SheetRow> rows;
    const std::size_t columns = pleasing_columns(cells.size(), aspect_ratio(cells));
    for (std::size_t start = 0; start < cells.size(); start += columns) {
        const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(start);
        const auto end = begin + static_cast<std::ptrdiff_t>(std::min(columns, cells.size() - start));
        rows.push_back({{}, {std::make_move_iterator(begin), std::make_move_iterator(end)}});
    }
    return rows;
}

}  // namespace gass
