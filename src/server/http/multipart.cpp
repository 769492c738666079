#include "server/http/multipart.h"

#include "core/fail.h"
#include "core/quote.h"

#include <optional>

namespace gass::http {
namespace {

constexpr const char* kWhere = "body";
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kLongestHead = 4096;

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

/// The value of `name=` in a header, quoted or not.
std::optional<std::string> parameter_of(std::string_view header, std::string_view name) {
    for (std::size_t at = 0; (at = header.find(';', at)) != header.npos;) {
        ++at;
        while (at < header.size() && (header[at] == ' ' || header[at] == '\t')) ++at;
        const std::string_view rest = header.substr(at);
        if (lower(rest.substr(0, name.size())) != name || rest.size() <= name.size() ||
            rest[name.size()] != '=')
            continue;
        const std::string_view value = rest.substr(name.size() + 1);
        if (!value.starts_with('"')) return std::string(value.substr(0, value.find_first_of("; \t")));
        std::string text;
        for (std::size_t i = 1; i < value.size() && value[i] != '"'; ++i) {
            if (value[i] == '\\' && i + 1 < value.size()) ++i;
            text += value[i];
        }
        return text;
    }
    return std::nullopt;
}

/// The part's name, from its header lines.
FormPart part_of(std::string_view head, std::string_view content) {
    while (!head.empty()) {
        const std::size_t end = head.find(kLineEnd);
        const std::string_view line = head.substr(0, end);
        if (lower(line.substr(0, 20)) == "content-disposition:") {
            const auto name = parameter_of(line, "name");
            if (!name || name->empty() || !is_utf8(*name)) break;
            const bool is_file = parameter_of(line, "filename") || parameter_of(line, "filename*");
            return {.name = *name, .is_file = is_file, .content = content};
        }
        head = end == head.npos ? std::string_view() : head.substr(end + kLineEnd.size());
    }
    fail(ErrorCode::usage, kWhere, "a part of the form has no name");
}

}  // namespace

std::vector<FormPart> parse_form(std::string_view content_type, std::string_view body, std::size_t most) {
    const auto boundary = parameter_of(content_type, "boundary");
    if (!lower(content_type).starts_with("multipart/form-data") || !boundary || boundary->empty() ||
        boundary->size() > 70)
        fail(ErrorCode::usage, kWhere, "expected multipart/form-data with a boundary, got {}",
             in_quotes(content_type));
    const std::string mark = "--" + *boundary;
    if (!body.starts_with(mark)) fail(ErrorCode::usage, kWhere, "the form does not begin with its boundary");
    std::vector<FormPart> parts;
    std::size_t at = mark.size();
    while (true) {
        if (body.substr(at, 2) == "--") return parts;
        if (body.substr(at, 2) != kLineEnd) fail(ErrorCode::usage, kWhere, "the form is damaged");
        if (parts.size() == most) fail(ErrorCode::usage, kWhere, "more than {} parts", most);
        at += kLineEnd.size();
        const std::size_t blank = body.substr(at, kLongestHead).find("\r\n\r\n");
        const std::size_t start = blank == body.npos ? body.npos : at + blank + 4;
        const std::size_t end = start == body.npos ? body.npos : body.find("\r\n" + mark, start);
        if (end == body.npos) fail(ErrorCode::usage, kWhere, "the form is cut off");
        parts.push_back(part_of(body.substr(at, blank), body.substr(start, end - start)));
        at = end + kLineEnd.size() + mark.size();
    }
}

}  // namespace gass::http
