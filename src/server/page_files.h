#pragma once

#include <span>
#include <string_view>

namespace gass::server {

/// A file below web/, which is compiled in.
struct PageFile {
    std::string_view path;  ///< "index.html", "js/map.js"
    std::string_view content;
    std::string_view hash;  ///< of the content, for browsers that have it already
};
std::span<const PageFile> page_files();

}  // namespace gass::server
