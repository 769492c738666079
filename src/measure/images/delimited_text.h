#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// Reads comma- or tab-separated values: fields may stand in double quotes, which then hold separators, line
/// ends and doubled quotes; lines end in \n or \r\n; blank ones are passed over, as is a byte order mark.
class DelimitedText {
  public:
    /// `text` and `where` must outlive it.
    DelimitedText(std::string_view text, char separator, std::string_view where);

    /// The fields of the next record; false at the end. Throws model_invalid for a quote that never ends, or
    /// text behind one.
    bool next(std::vector<std::string>& fields);
    /// On which the record began that `next` read.
    std::size_t line() const { return line_; }

  private:
    std::string quoted_field();

    std::string_view rest_;
    char separator_;
    std::string_view where_;
    std::size_t line_ = 0;
    std::size_t next_line_ = 1;
};

/// Goes through the rows of a table whose first line names its columns: `take` is given a row's fields of two
/// of them and its place, "list.csv, line 3". Of the names of a column the first counts that is there. Throws
/// model_invalid where the needed one is missing or a row has more or fewer fields; the other may be missing,
/// and is empty then.
void read_columns(
    std::string_view text, char separator, const std::string& where, std::span<const std::string_view> needed,
    std::span<const std::string_view> other,
    const std::function<void(const std::string&, const std::string&, const std::string& place)>& take);

}  // namespace gass
