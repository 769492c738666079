#pragma once

#include <gass/export.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gass {

/// A parameter of a method, as `--method NAME:KEY=VALUE` takes it.
struct ParameterDescription {
    enum class Type { number, integer, boolean, choice };

    std::string name;
    Type type = Type::number;
    std::variant<double, std::int64_t, bool, std::string>
        initial;         ///< the value that it has if nobody sets it
    double minimum = 0;  ///< of numbers and integers
    double maximum = 0;
    std::vector<std::string> choices;  ///< of a choice
    std::string help;
};

/// A way to make a set differ.
struct MethodDescription {
    std::string name;
    std::string help;
    std::string verdict;  ///< what it is worth, as the study on the embedded models found
    std::string paper;
    std::vector<ParameterDescription> parameters;
};

/// All methods there are.
GASS_API std::vector<MethodDescription> methods();
/// The one of that name. Throws gass::Error if there is none.
GASS_API MethodDescription method(std::string_view name);

}  // namespace gass
