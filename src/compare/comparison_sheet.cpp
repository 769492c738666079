#include "compare/comparison.h"
#include "compare/words.h"
#include "sheet/sheet.h"

#include <fmt/format.h>

#include <algorithm>

namespace gass {

Image comparison_sheet(const ComparedPrompt& prompt, const Comparison& comparison) {
    Sheet sheet{prompt.prompt, compare::origin_line(comparison), {}};
    for (const ComparedGroup& group : prompt.groups) {
        SheetRow row{compare::spaced_method(group.method), {}};
        if (!group.error.empty()) row.label += " (failed)";
        row.cells.resize(std::max(prompt.seeds.size(), group.images.size()));
        for (std::size_t i = 0; i < group.images.size(); ++i) {
            row.cells[i].image = &group.images[i];
            if (i < group.seeds.size()) row.cells[i].label = fmt::format("seed {}", group.seeds[i]);
        }
        sheet.rows.push_back(std::move(row));
    }
    return draw_sheet(sheet);
}

}  // namespace gass
