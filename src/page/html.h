#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// What the pages of gass are made of.
namespace gass::page {

/// Where the pictures of a page are: in it, or files beside it.
enum class Pictures { embedded, beside };

/// A page up to its body. `title` is text, and `program` stands behind it: "gass compare". The page may
/// load nothing but its pictures, and run no script but ours.
std::string page_begin(std::string_view title, std::string_view program,
                       Pictures pictures = Pictures::embedded);
std::string page_end();

/// A list of what the measures of a set's spread mean.
extern const std::string_view kSpreadMeaning;

/// Text for a page: escaped, and kept from turning the direction of what stands beside it.
std::string isolated(std::string_view text);
/// A method with its letter: "A none".
std::string method_title(std::size_t method, std::string_view name);
/// What can be opened to read on; `content` is HTML.
std::string details(std::string_view summary, std::string_view content);
/// A box that a wide table scrolls in; `label` is text, `table` is HTML.
std::string scroll_box(std::string_view label, std::string_view table);

}  // namespace gass::page
