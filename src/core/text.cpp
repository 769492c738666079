#include "core/text.h"

#include "core/fail.h"
#include "core/quote.h"

namespace gass {

std::vector<TextLine> prompt_lines(std::string_view text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    std::vector<TextLine> lines;
    std::size_t number = 0;
    for (std::string_view line : split(text, '\n')) {
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        const bool is_blank = line.find_first_not_of(" \t") == std::string_view::npos;
        if (is_blank || line.starts_with('#')) continue;
        if (line.starts_with("\\#")) line.remove_prefix(1);
        lines.push_back({number, line});
    }
    return lines;
}

namespace {

template <class Where>
void check(std::string_view prompt, const Where& where, ErrorCode code) {
    if (prompt.size() > kMaxPromptBytes)
        fail(code, where, "the text has {} bytes; at most {} are taken", prompt.size(), kMaxPromptBytes);
    if (!is_utf8(prompt)) fail(code, where, "the text is not UTF-8: {}", in_quotes(prompt));
    if (prompt.find('\0') != std::string_view::npos) fail(code, where, "the text holds a zero byte");
}

}  // namespace

void check_prompt(std::string_view prompt, std::string_view where, ErrorCode code) {
    check(prompt, where, code);
}

void check_prompt(std::string_view prompt, SettingKey setting, ErrorCode code) {
    check(prompt, setting, code);
}

}  // namespace gass
