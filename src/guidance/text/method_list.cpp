#include "guidance/text/method_list.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"

namespace gass {

std::vector<std::string_view> split_methods(std::string_view text) {
    std::vector<std::string_view> methods;
    std::size_t start = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool in_a_number = i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9';
        if (text[i] != '+' || in_a_number) continue;
        methods.push_back(text.substr(start, i - start));
        start = i + 1;
    }
    methods.push_back(text.substr(start));
    return methods;
}

std::vector<std::string> split_method_list(std::string_view list) {
    std::vector<std::string> methods;
    for (const std::string_view part : split(list, ',')) {
        const std::size_t equals = part.find('=');
        const bool sets_a_parameter =
            equals != std::string_view::npos && part.substr(0, equals).find(':') == std::string_view::npos;
        if (!sets_a_parameter) {
            if (part.empty())
                fail(ErrorCode::usage, SettingKey("methods"), "a name is missing in {}", in_quotes(list));
            methods.emplace_back(part);
        } else if (methods.empty()) {
            fail(ErrorCode::usage, SettingKey("methods"), "{} stands before any method", in_quotes(part));
        } else {
            methods.back() +=
                split_methods(methods.back()).back().find(':') == std::string_view::npos ? ':' : ',';
            methods.back() += part;
        }
    }
    return methods;
}

}  // namespace gass
