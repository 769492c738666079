#pragma once

#include "diffusion/method.h"
#include "guidance/dial.h"
#include "guidance/method_setup.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gass {

/// A spec without its parameters: "cads+gass" of "cads+gass:candidates=4". Throws like make_method.
std::string method_name(std::string_view spec);

/// Whether a method is one of those that a spec combines.
bool has_method(std::string_view spec, std::string_view name);

/// Makes the method that a spec names: "none" is plain classifier-free guidance,
/// "gass-paper:r_dep=0.05,basis=ip" a method with parameters, "cads+gass" two that act together. Throws
/// usage, as --method, for a name, key or value that is wrong, and for methods that cannot be combined.
std::unique_ptr<Method> make_method(std::string_view spec, const MethodSetup& setup);

/// How many seeds a group of `images` starts with under a method; throws like make_method.
std::int64_t candidates_for(std::string_view spec, std::int64_t images);

/// Whether the method looks at images, and needs a guide for it.
bool needs_vision(std::string_view spec);

/// The guidance scale that a method sets in place of --cfg-scale, if it does.
std::optional<double> own_cfg_scale(std::string_view spec);

/// The spec with every parameter in it, those of `gass` by the model's dial, so that it still means the same
/// when a default or a calibration changes.
std::string complete_method(std::string_view spec, const Dial& dial, bool can_look);

/// The methods for help: [{"name", "help", "says", "paper", "parameters"}], or the one named.
Json describe_methods(std::string_view name = {});

}  // namespace gass
