#pragma once

#include "io/infotext.h"

#include <gass/record.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace gass {

/// What an image of a set was made from.
struct ImageOrigin {
    std::size_t index = 0;
    std::uint64_t seed = 0;
    std::size_t place = 0;  ///< of this seed among the record's
    std::string prompt;     ///< with its choices made
};

/// What A1111-style readers show for an image.
Infotext infotext_of(const Record& record, const ImageOrigin& image);

}  // namespace gass
