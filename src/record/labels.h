#pragma once

#include <string>
#include <string_view>

// Short names for people, from the long ones that records hold.
namespace gass {

/// A model's name without its folders.
std::string model_label(std::string_view model);

/// The methods alone: "cads+gass" of "cads:scale=0.2+gass:candidates=4".
std::string method_label(std::string_view method);

/// "cads, scale 0.2, tau1 0.6 + gass, strength 0.5" from the long form: of each method its strength, or else
/// its first two parameters.
std::string short_method(std::string_view method);

/// "gass: strength=0.3, dep=1": lines may break where the parameters part.
std::string spaced_method(std::string_view method);

}  // namespace gass
