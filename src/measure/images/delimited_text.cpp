#include "measure/images/delimited_text.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/wording.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace gass {
namespace {

/// Where in a table's first line the first of these names stands that is there at all.
std::optional<std::size_t> column_of(const std::vector<std::string>& header,
                                     std::span<const std::string_view> names) {
    for (const std::string_view name : names) {
        const auto found = std::ranges::find(header, name);
        if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
    }
    return std::nullopt;
}

}  // namespace

DelimitedText::DelimitedText(std::string_view text, char separator, std::string_view where)
    : rest_(text), separator_(separator), where_(where) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

bool DelimitedText::next(std::vector<std::string>& fields) {
    while (rest_.starts_with('\n') || rest_.starts_with("\r\n")) {
        rest_.remove_prefix(rest_.front() == '\r' ? 2 : 1);
        ++next_line_;
    }
    if (rest_.empty()) return false;
    line_ = next_line_;
    fields.clear();
    while (true) {
        if (rest_.starts_with('"')) {
            fields.push_back(quoted_field());
        } else {
            const std::size_t end =
                std::min(rest_.find_first_of(std::string{separator_, '\n'}), rest_.size());
            fields.emplace_back(rest_.substr(0, end));
            const bool ends_line = end == rest_.size() || rest_[end] == '\n';
            if (ends_line && fields.back().ends_with('\r')) fields.back().pop_back();
            rest_.remove_prefix(end);
        }
        if (rest_.starts_with("\r\n")) rest_.remove_prefix(1);
        if (rest_.empty()) return true;
        const char after = rest_.front();
        if (after != separator_ && after != '\n')
            fail(ErrorCode::model_invalid, where_, "line {}: text follows a closing quote", line_);
        rest_.remove_prefix(1);
        if (after == '\n') {
            ++next_line_;
            return true;
        }
        if (rest_.empty()) {  // the file ends in a separator: an empty field comes after it
            fields.emplace_back();
            return true;
        }
    }
}

std::string DelimitedText::quoted_field() {
    std::string field;
    rest_.remove_prefix(1);
    while (true) {
        const std::size_t end = rest_.find('"');
        if (end == std::string_view::npos)
            fail(ErrorCode::model_invalid, where_, "line {}: a quote is never closed", line_);
        field += rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        if (!rest_.starts_with('"')) break;
        field += '"';
        rest_.remove_prefix(1);
    }
    next_line_ += static_cast<std::size_t>(std::ranges::count(field, '\n'));
    return field;
}

void read_columns(
    std::string_view text, char separator, const std::string& where, std::span<const std::string_view> needed,
    std::span<const std::string_view> other,
    const std::function<void(const std::string&, const std::string&, const std::string& place)>& take) {
    DelimitedText table(text, separator, where);
    std::vector<std::string> fields;
    table.next(fields);
    const auto needed_column = column_of(fields, needed);
    const auto other_column = column_of(fields, other);
    if (!needed_column)
        fail(ErrorCode::model_invalid, where, "the first line must name a column {}; it reads {}",
             fmt::join(needed, ", "), in_quotes(fmt::format("{}", fmt::join(fields, ", "))));
    const std::size_t columns = fields.size();
    while (table.next(fields)) {
        const std::string place = fmt::format("{}, line {}", where, table.line());
        if (fields.size() != columns)
            fail(ErrorCode::model_invalid, place, "{}; the first line has {}",
                 counted(fields.size(), "column"), columns);
        take(fields[*needed_column], other_column ? fields[*other_column] : "", place);
    }
}

}  // namespace gass
