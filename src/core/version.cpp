#include <gass/version.h>

namespace gass {

std::string_view version() noexcept {
    return GASS_VERSION;
}

}  // namespace gass
