#include "server/wish.h"

#include <gass/error.h>

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const gass::server::RequestLimits limits;
    for (const auto kind : {gass::server::WishKind::set, gass::server::WishKind::comparison}) {
        try {
            const gass::server::Wish wish =
                gass::server::read_wish(gass::server::parse_body(text), limits, kind);
            // Nothing from outside is a file of this machine, or more than the limits.
            if (wish.request.shield || !wish.request.shield_files.empty() || wish.request.start_image)
                std::abort();
            if (wish.request.images.value_or(0) > limits.images ||
                wish.request.width.value_or(0) > limits.side)
                std::abort();
        } catch (const gass::Error& error) {
            if (error.code() != gass::ErrorCode::usage) std::abort();
        }
    }
    return 0;
}
