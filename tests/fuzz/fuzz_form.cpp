#include "server/http/multipart.h"
#include "server/http/target.h"

#include <gass/error.h>

#include <cstdint>
#include <cstdlib>

// The first line is an address and a content type, the rest a body.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::size_t line = std::min(text.find('\n'), size);
    const std::string_view first = text.substr(0, line);
    (void)gass::http::host_of(first);
    if (const auto target = gass::http::parse_target(first)) {
        for (const std::string& part : target->path) {
            if (part == ".." || part.find('/') != std::string::npos) std::abort();
        }
    }
    try {
        const std::string_view body = text.substr(std::min(line + 1, size));
        for (const gass::http::FormPart& part : gass::http::parse_form(first, body, 100)) {
            if (part.content.size() > body.size()) std::abort();
        }
    } catch (const gass::Error&) {
    }
    return 0;
}
