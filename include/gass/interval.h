#pragma once

namespace gass {

/// From one number to another, a 95 % confidence interval for instance.
struct Interval {
    double low = 0;
    double high = 0;

    bool operator==(const Interval&) const = default;
};

}  // namespace gass
