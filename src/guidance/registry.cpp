#include "guidance/registry.h"

#include "core/fail.h"
#include "core/quote.h"

namespace gass {

std::unique_ptr<Method> make_method(std::string_view name) {
    if (name == "none") return std::make_unique<Method>();
    fail(ErrorCode::usage, "--method", "no method {}; there is none", in_quotes(name));
}

}  // namespace gass
