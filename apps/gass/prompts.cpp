#include "prompts.h"

#include "core/fail.h"
#include "core/quote.h"
#include "engine/request.h"
#include "io/file.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <string_view>

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

std::vector<Prompt> read_prompts(const std::optional<std::string>& prompt, const std::string& prompt_file) {
    std::vector<Prompt> prompts;
    if (prompt && !prompt_file.empty())
        fail(ErrorCode::usage, "--prompt", "give a prompt or a --prompt-file, not both");
    if (prompt) {
        prompts.push_back({*prompt, "--prompt"});
    } else if (!prompt_file.empty()) {
        const std::string text = prompt_file == "-" ? read_stdin() : read_text_file(prompt_file);
        constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
        std::size_t number = 1;
        for (std::size_t start = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
             start < text.size(); ++number) {
            const std::size_t end = std::min(text.find('\n', start), text.size());
            std::string line = text.substr(start, end - start);
            if (line.ends_with('\r')) line.pop_back();
            if (line.find_first_not_of(" \t") != std::string::npos)
                prompts.push_back({std::move(line), fmt::format("--prompt-file, line {}", number)});
            start = end + 1;
        }
        if (prompts.empty())
            fail(ErrorCode::usage, "--prompt-file", "{} holds no prompt", in_quotes(prompt_file));
    } else {
        fail(ErrorCode::usage, "--prompt", "say what the images should show: -p \"a red car\"");
    }
    for (const Prompt& one : prompts) check_prompt(one.text, one.where);
    return prompts;
}

}  // namespace gass::cli
