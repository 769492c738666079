#pragma once

#include "core/fail.h"
#include "core/quote.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace gass {

/// Reads a file's header token by token, blanks between them passed over. A parser of one format says what
/// follows what, and in `described` what its errors add.
class HeaderScanner {
  public:
    HeaderScanner(const HeaderScanner&) = delete;
    HeaderScanner& operator=(const HeaderScanner&) = delete;

  protected:
    HeaderScanner(std::string_view text, std::string_view where) : text_(text), where_(where) {}
    virtual ~HeaderScanner() = default;

    virtual std::string described(const std::string& message) const { return message; }

    template <class... Args>
    [[noreturn]] void complain(fmt::format_string<Args...> text, Args&&... args) const {
        const std::string message = fmt::format(text, std::forward<Args>(args)...);
        fail(ErrorCode::model_invalid, where_, "{}", described(message));
    }

    [[noreturn]] void unexpected(std::string_view wanted) const {
        complain("expected {} at byte {} of the header, found {}", wanted, position_,
                 at_end() ? "its end" : in_quotes(text_.substr(position_, 16)));
    }

    bool at_end() const { return position_ >= text_.size(); }

    void skip_space() { position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size()); }

    bool accept(char wanted) {
        skip_space();
        if (at_end() || text_[position_] != wanted) return false;
        ++position_;
        return true;
    }

    void expect(char wanted, std::string_view what) {
        if (!accept(wanted)) unexpected(what);
    }

    void expect_end() {
        skip_space();
        if (!at_end()) unexpected("the end of the header");
    }

    /// A whole number of 0 or more, as both formats write it: no sign, no zero in front.
    template <class Number>
    Number read_whole(std::string_view what) {
        skip_space();
        const char* const begin = text_.data() + position_;
        Number value = 0;
        const auto [rest, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        const bool leading_zero = rest - begin > 1 && *begin == '0';
        if (error != std::errc() || *begin == '-' || leading_zero) unexpected(what);
        position_ += static_cast<std::size_t>(rest - begin);
        return value;
    }

    std::string_view text_;
    std::string_view where_;
    std::size_t position_ = 0;
};

}  // namespace gass
