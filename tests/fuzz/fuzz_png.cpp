#include "io/png.h"

#include <gass/error.h>

#include <zlib.h>

#include <cstdint>

namespace {

void decode(std::span<const std::byte> bytes) {
    try {
        gass::decode_png_info(bytes, "fuzz");
    } catch (const gass::Error&) {
    }
    try {
        gass::decode_png(bytes, "fuzz");
    } catch (const gass::Error&) {
    }
}

/// Makes the checksums right: hardly any random change gets past them otherwise.
void repair_checksums(std::vector<std::byte>& png) {
    constexpr std::size_t kAroundContent = 12;
    for (std::size_t at = 8; at + kAroundContent <= png.size();) {
        const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(png[at + i]); };
        const std::size_t length = byte(0) << 24U | byte(1) << 16U | byte(2) << 8U | byte(3);
        if (length > png.size() - at - kAroundContent) return;
        const auto* type = reinterpret_cast<const Bytef*>(png.data() + at + 4);
        const auto crc = ::crc32(0, type, static_cast<uInt>(length + 4));
        for (const unsigned i : {0U, 1U, 2U, 3U})
            png[at + 8 + length + i] = static_cast<std::byte>(crc >> (24U - 8U * i));
        at += length + kAroundContent;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    decode(bytes);
    std::vector<std::byte> repaired(bytes.begin(), bytes.end());
    repair_checksums(repaired);
    decode(repaired);
    return 0;
}
