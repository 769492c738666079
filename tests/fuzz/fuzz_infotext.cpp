#include "core/quote.h"
#include "io/infotext.h"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const gass::Infotext info = gass::parse_infotext(text);
    // What was parsed is free of ambiguity, so it must survive; values that are not UTF-8 cannot.
    const bool survives = gass::is_utf8(text) && !info.fields.empty();
    if (survives && gass::parse_infotext(gass::format_infotext(info)) != info) std::abort();
    return 0;
}
