#include "text/prompt_template.h"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const gass::PromptTemplate prompt(text);
    for (std::size_t image = 0; image < 3; ++image) {
        const std::string once = prompt.expand(image, 42);
        if (once.size() > text.size() || once != prompt.expand(image, 42)) std::abort();
        if (!prompt.has_choices() && text.find('\\') == std::string_view::npos && once != text) std::abort();
    }
    return 0;
}
