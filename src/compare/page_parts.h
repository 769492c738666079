#pragma once

#include "compare/comparison.h"
#include "compare/measures.h"
#include "page/html.h"
#include "page/shown.h"
#include "plot/lettered_marks.h"
#include "sheet/text_painter.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gass::compare {

using page::beginning;
using page::details;
using page::isolated;
using page::method_title;
using plot::letter_of;

/// The table of the numbers, the best of each column marked, with the differences to the first method.
/// `anchor`: where the methods of the page begin, "p0" for "#p0-m1"; none if empty.
std::string numbers_table(const std::vector<ComparedMethod>& methods, std::string_view anchor);

/// One method's pictures, numbers, places and settings for each of the prompt's groups.
std::string group_blocks(const ComparedPrompt& prompt, std::size_t index, const TextPainter& painter);

}  // namespace gass::compare
