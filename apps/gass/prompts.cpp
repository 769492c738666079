#include "prompts.h"

#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "core/text.h"
#include "io/file.h"
#include "text/prompt_hints.h"

#include <iostream>
#include <iterator>

namespace gass::cli {
namespace {

std::string read_stdin() {
    std::string text;
    constexpr std::size_t kMost = std::size_t{16} << 20U;
    for (std::istreambuf_iterator<char> it(std::cin), end; it != end; ++it) {
        text += *it;
        if (text.size() > kMost)
            fail(ErrorCode::usage, "--prompt-file", "more than {} bytes on stdin", kMost);
    }
    return text;
}

}  // namespace

std::vector<ListedPrompt> read_prompts(const std::optional<std::string>& prompt,
                                       const std::string& prompt_file, const std::string& negative_prompt) {
    std::vector<ListedPrompt> prompts;
    if (prompt && !prompt_file.empty())
        fail(ErrorCode::usage, "--prompt", "give a prompt or a --prompt-file, not both");
    if (prompt) {
        prompts.push_back({*prompt, "--prompt"});
    } else if (!prompt_file.empty()) {
        const std::string text = prompt_file == "-" ? read_stdin() : read_text_file(prompt_file);
        for (const TextLine& line : prompt_lines(text))
            prompts.push_back({std::string(line.text), fmt::format("--prompt-file, line {}", line.number)});
        if (prompts.empty())
            fail(ErrorCode::usage, "--prompt-file", "there is no prompt in {}", in_quotes(prompt_file));
    } else {
        fail(ErrorCode::usage, "--prompt", "say what the images should show: -p \"a red car\"");
    }
    for (const ListedPrompt& one : prompts) check_prompt(one.text, one.where);
    PromptHints hints;
    const auto hint_at = [&](const std::string& text, std::string_view where) {
        for (const std::string& hint : hints.of(text)) log::warn("[{}] {}", where, hint);
    };
    for (const ListedPrompt& one : prompts) hint_at(one.text, one.where);
    hint_at(negative_prompt, "--negative-prompt");
    return prompts;
}

}  // namespace gass::cli
