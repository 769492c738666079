#pragma once

#include "diffusion/method.h"

#include <memory>
#include <string_view>

namespace gass {

/// The method of that name: "none" is plain classifier-free guidance. Throws usage for a name that is none.
std::unique_ptr<Method> make_method(std::string_view name);

}  // namespace gass
