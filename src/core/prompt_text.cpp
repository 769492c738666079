#include "core/prompt_text.h"

#include "core/fail.h"
#include "core/quote.h"

namespace gass {

void check_prompt(std::string_view prompt, std::string_view where, ErrorCode code) {
    if (prompt.size() > kMaxPromptBytes)
        fail(code, where, "the text has {} bytes; at most {} are taken", prompt.size(), kMaxPromptBytes);
    if (!is_utf8(prompt)) fail(code, where, "the text is not UTF-8: {}", in_quotes(prompt));
    if (prompt.find('\0') != std::string_view::npos) fail(code, where, "the text holds a zero byte");
}

}  // namespace gass
