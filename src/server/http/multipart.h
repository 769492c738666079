#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gass::http {

/// A field of a form; `content` is a view of the body.
struct FormPart {
    std::string name;
    bool is_file = false;  ///< it came with a file's name, which is nobody's business
    std::string_view content;
};

/// The fields of a multipart/form-data body. Throws usage for what is none, and for more than `most` fields.
std::vector<FormPart> parse_form(std::string_view content_type, std::string_view body, std::size_t most);

}  // namespace gass::http
