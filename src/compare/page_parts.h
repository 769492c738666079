#pragma once

#include "compare/comparison.h"
#include "compare/measures.h"
#include "sheet/text_painter.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gass::compare {

/// Text for a page: escaped, and kept from turning the direction of what stands beside it.
std::string isolated(std::string_view text);
/// A method with its letter: "A none".
std::string method_title(std::size_t method, std::string_view name);
/// What can be opened to read on; `content` is HTML.
std::string details(std::string_view summary, std::string_view content);

/// The table of the numbers, the best of each column marked, with the differences to the first method.
/// `anchor`: where the methods of the page begin, "p0" for "#p0-m1"; none if empty.
std::string numbers_table(const std::vector<ComparedMethod>& methods, std::string_view anchor);

/// One method's pictures, numbers, places and settings for each of the prompt's groups.
std::string group_blocks(const ComparedPrompt& prompt, std::size_t index, const TextPainter& painter);

}  // namespace gass::compare
