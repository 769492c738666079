#pragma once

#include <gass/export.h>

#include <string_view>

namespace gass {

/// The library's version, "0.1.0" for instance.
GASS_API std::string_view version() noexcept;

}  // namespace gass
