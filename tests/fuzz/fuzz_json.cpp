#include "core/json.h"
#include "core/settings.h"

#include <gass/error.h>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const gass::Json value = gass::parse_json(text, "fuzz");
        // What was accepted reads back as itself.
        if (gass::parse_json(value.dump(), "fuzz") != value) std::abort();
        gass::Settings settings;
        settings.set_object(gass::SettingLayer::config, value, "fuzz");
        settings.resolved();
    } catch (const gass::Error&) {
    }
    return 0;
}
