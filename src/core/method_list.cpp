#include "core/method_list.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/split.h"

namespace gass {
namespace {

/// Whether the last of the methods that a text combines says a parameter.
bool last_has_parameters(std::string_view text) {
    std::size_t start = 0;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        // A plus before a letter begins a method; others stand in numbers, 1e+3.
        if (text[i] == '+' && text[i + 1] >= 'a' && text[i + 1] <= 'z') start = i + 1;
    }
    return text.find(':', start) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> split_method_list(std::string_view list) {
    std::vector<std::string> methods;
    for (const std::string_view part : split(list, ',')) {
        const std::size_t equals = part.find('=');
        const bool sets_a_parameter =
            equals != std::string_view::npos && part.substr(0, equals).find(':') == std::string_view::npos;
        if (!sets_a_parameter) {
            if (part.empty()) fail(ErrorCode::usage, "--methods", "a name is missing in {}", in_quotes(list));
            methods.emplace_back(part);
        } else if (methods.empty()) {
            fail(ErrorCode::usage, "--methods", "{} stands before any method", in_quotes(part));
        } else {
            methods.back() += last_has_parameters(methods.back()) ? ',' : ':';
            methods.back() += part;
        }
    }
    return methods;
}

}  // namespace gass
