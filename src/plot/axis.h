#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gass::plot {

/// What an axis shows, from its low to its high end.
struct Range {
    double low = 0;
    double high = 1;
};

/// The range of these values, never narrower than numbers of their size can be told apart on an axis. Without
/// values it is 0 to 1.
Range range_of(const std::vector<double>& values);

/// The same with some room around it; values that hardly differ do not fill the axis.
Range roomy_range(const std::vector<double>& values);

/// From values to pixels.
struct Scale {
    Range values;
    double first = 0;  ///< the pixel of the low end
    double last = 1;   ///< of the high end; may be the smaller one

    double operator()(double value) const {
        return first + (value - values.low) / (values.high - values.low) * (last - first);
    }
    double value_at(double pixel) const {
        return values.low + (pixel - first) / (last - first) * (values.high - values.low);
    }
};

struct Tick {
    double value = 0;
    std::string label;
};

/// Round values within a range, at steps of 1, 2 or 5 times a power of ten: at least one, no more than
/// `max_count`, which is 2 or more.
std::vector<Tick> ticks(Range range, std::size_t max_count);

}  // namespace gass::plot
