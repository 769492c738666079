#include "core/prompt_text.h"

#include "core/fail.h"
#include "core/quote.h"

namespace gass {

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

void check_prompt(std::string_view prompt, SettingKey setting) {
    check(prompt, setting, ErrorCode::usage);
}

}  // namespace gass
