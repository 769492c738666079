#include "text/prompt_hints.h"

#include "core/quote.h"
#include "core/text.h"
#include "text/prompt_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

namespace gass {
namespace {

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Whether this is "red:1.5", as it stands in brackets. "16:9" is a ratio.
bool is_weighted(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0 || is_digit(text[colon - 1])) return false;
    std::string_view weight = text.substr(colon + 1);
    weight.remove_prefix(std::min(weight.find_first_not_of(' '), weight.size()));
    weight = weight.substr(0, weight.find_last_not_of(' ') + 1);
    return !weight.empty() && is_digit(weight.front()) && parse_number<double>(weight).has_value();
}

/// The first "(red:1.5)"; empty if there is none.
std::string_view find_weight(std::string_view prompt) {
    for (std::size_t open = prompt.find('('); open != std::string_view::npos;
         open = prompt.find('(', open + 1)) {
        const std::size_t end = prompt.find_first_of("()", open + 1);
        if (end == std::string_view::npos) break;
        const bool is_escaped = open > 0 && prompt[open - 1] == '\\';
        if (prompt[end] == ')' && !is_escaped && is_weighted(prompt.substr(open + 1, end - open - 1)))
            return prompt.substr(open, end + 1 - open);
    }
    return {};
}

std::string_view find_lora(std::string_view prompt) {
    const std::size_t start = prompt.find("<lora:");
    const std::size_t end = prompt.find('>', std::min(start, prompt.size()));
    return end == std::string_view::npos ? std::string_view() : prompt.substr(start, end + 1 - start);
}

std::string_view find_unclosed_brace(std::string_view prompt) {
    return has_unclosed_brace(prompt) ? prompt : std::string_view();
}

struct HintKind {
    std::string_view (*find)(std::string_view prompt);
    std::string_view hint;
};
constexpr std::array kHintKinds{
    HintKind{find_weight, "weights in brackets have no effect here"},
    HintKind{find_lora, "LoRAs are not supported yet"},
    HintKind{find_unclosed_brace, "a { is never closed; {a|b} is a choice for each image, \\{ a brace"},
};

}  // namespace

std::vector<std::string> PromptHints::of(std::string_view prompt) {
    static_assert(kHintKinds.size() == kKinds);
    std::vector<std::string> hints;
    for (std::size_t i = 0; i < kKinds; ++i) {
        const std::string_view found = told_[i] ? std::string_view() : kHintKinds[i].find(prompt);
        if (found.empty()) continue;
        told_[i] = true;
        hints.push_back(fmt::format("{} is read as plain text: {}", in_quotes(found), kHintKinds[i].hint));
    }
    return hints;
}

}  // namespace gass
