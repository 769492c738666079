#pragma once

#include "catalog/model.h"

#include <string_view>

namespace gass {

/// The encoder that is no network: the picture itself.
inline constexpr std::string_view kPixels = "pixels";

/// A network that metrics are commonly computed with, and where people get it.
struct KnownEncoder {
    std::string_view name;        // the short one
    std::string_view model;       // as find_model takes it
    std::string_view address;     // of the file, or of the page that has it
    std::string_view file;        // a pickled one that must be converted; empty: gass reads what is published
    std::string_view conversion;  // its kind for tools/convert_weights.py
    std::string_view extra = {};  // what else the conversion needs
};

/// The one of that name, short or as find_model takes it; nullptr for another.
const KnownEncoder* known_encoder(std::string_view name);

/// Opens the model of that name, a known encoder's short one among them. Where a known one is missing, the
/// message tells how to get it.
Model open_encoder_model(std::string_view name);

}  // namespace gass
