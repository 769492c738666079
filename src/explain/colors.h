#pragma once

#include "sheet/text_painter.h"

namespace gass::explain {

// The same greys as contact sheets; hues that people who see few colours tell apart, with shapes beside them.
inline constexpr Color kBackground{250, 250, 249};
inline constexpr Color kPlot{255, 255, 255};
inline constexpr Color kGrid{238, 238, 236};
inline constexpr Color kFrame{200, 200, 198};
inline constexpr Color kEmpty{222, 222, 220};
inline constexpr Color kInk{28, 28, 30};
inline constexpr Color kLabel{72, 72, 76};
inline constexpr Color kMuted{112, 112, 118};
inline constexpr Color kBlue{31, 96, 170};
inline constexpr Color kOrange{204, 96, 24};
inline constexpr Color kSlate{128, 134, 150};
inline constexpr Color kGreen{26, 138, 90};
inline constexpr Color kRed{198, 40, 56};

}  // namespace gass::explain
