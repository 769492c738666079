#pragma once

#include "core/json.h"
#include "io/image.h"

#include <gass/compare.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gass {

/// The longer side of a picture on the page: 40 of a megapixel would make one that no browser likes to open.
inline constexpr std::uint32_t kLongestShown = 512;

/// Everything but the pictures, for programs; "methods" are the means over the prompts.
Json comparison_json(const Comparison& comparison);

/// RFC 4180, one row for each prompt and method. Numbers have as many digits as it takes to read the same
/// value again, and are missing where there is none.
std::string comparison_csv(const Comparison& comparison);

/// The table for a terminal: one row for each method, with the means where there are several prompts.
std::vector<std::string> comparison_header();
std::vector<std::vector<std::string>> comparison_rows(const Comparison& comparison);

/// The methods of one prompt as rows of a contact sheet, with the seeds as columns. Throws usage if there is
/// nothing to show.
Image comparison_sheet(const ComparedPrompt& prompt, const Comparison& comparison);

/// Whose numbers flatter, because the method looked through the encoder that measures; empty: nobody's.
std::string comparison_caution(const Comparison& comparison);

/// One HTML page that holds its pictures and plots and asks no one for anything.
std::string comparison_page(const Comparison& comparison);

}  // namespace gass
