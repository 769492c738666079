#include "io/webp.h"

#include <gass/error.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    try {
        gass::decode_webp_info(bytes, "fuzz");
    } catch (const gass::Error&) {
    }
    try {
        gass::decode_webp(bytes, "fuzz");
    } catch (const gass::Error&) {
    }
    return 0;
}
