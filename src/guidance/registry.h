#pragma once

#include "diffusion/method.h"
#include "guidance/dial.h"
#include "guidance/method_setup.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gass {

/// A spec without its parameters: "gass" of "gass:candidates=4".
std::string method_name(std::string_view spec);

/// Makes the method that a spec names: "none" is plain classifier-free guidance,
/// "gass-paper:r_dep=0.05,basis=ip" a method with parameters. Throws usage, as --method, for a name, key or
/// value that is wrong.
std::unique_ptr<Method> make_method(std::string_view spec, const MethodSetup& setup);

/// How many seeds a group of `images` starts with under a method; throws like make_method.
std::int64_t candidates_for(std::string_view spec, std::int64_t images);

/// Whether the method looks at images, and needs a guide for it.
bool needs_vision(std::string_view spec);

/// The spec with every parameter in it, those of `gass` by the model's dial, so that it still means the same
/// when a default or a calibration changes.
std::string complete_method(std::string_view spec, const Dial& dial, bool can_look);

/// The methods' names and parameters, for help: [{"name", "help", "parameters"}], or of the one
/// method named.
Json describe_methods(std::string_view name = {});

}  // namespace gass
