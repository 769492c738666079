#pragma once

#include <gass/export.h>
#include <gass/image.h>
#include <gass/record.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gass {

/// Seconds that the parts of a generation took. `method` is a part of `denoise`; `load`, of the first group
/// of a run, is the caller's to fill in.
struct Timings {
    double load = 0.0;
    double text = 0.0;
    double denoise = 0.0;
    double method = 0.0;
    double decode = 0.0;
};

/// An image of a group.
struct GroupImage : Image {
    std::uint64_t seed = 0;  ///< that it was made from
    std::size_t place = 0;   ///< of this seed among the plan's, of which a method may have chosen
    std::string prompt;      ///< the plan's, with its choices made
    std::vector<double> axis_places = {};  ///< on each axis of `vary`: −1 is one end, 1 the other
};

/// The images of a plan, and how they came about.
struct Group {
    std::vector<GroupImage> images;
    Record record;                 ///< what it takes to make them again
    std::optional<Spread> spread;  ///< as the guide sees them; none if it did not look, or saw nothing
    std::optional<std::vector<MethodStep>> method_steps;  ///< what the method did; none if it tells nothing
    std::int64_t chunk = 0;                               ///< images per network call
    std::uint64_t peak_device_bytes = 0;  ///< GPU memory that the process had in use at once; 0 on a CPU
    bool complete = true;  ///< false: stopped while images were decoded; those that are there are whole
    Timings timings;
};

/// Writes a group into a folder, as `gass generate` does: 0000.png …, sheet.png, index.html and group.json.
/// All of them or, on a full disk, none; an earlier group there is replaced. Throws gass::Error if there is
/// anybody else's work.
GASS_API void write_group(const Group& group, const std::string& folder);

}  // namespace gass
