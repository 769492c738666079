#include "core/method_list.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/split.h"

namespace gass {

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
            methods.back() += methods.back().find(':') == std::string::npos ? ':' : ',';
            methods.back() += part;
        }
    }
    return methods;
}

}  // namespace gass
