#include "explain/marks.h"

#include <algorithm>

namespace gass::explain {

using plot::Disc;
using plot::Line;
using plot::Shape;

namespace {

// Shorter ones would be lost in the mark that they begin at.
constexpr double kShortestArrow = 4;

}  // namespace

void draw_mark(Scene& scene, Mark mark, Point at) {
    const auto disc = [&](double radius, const plot::Paint& paint) { scene.add(Disc{at, radius, paint}); };
    switch (mark) {
        case Mark::kept:
            return disc(4.5, {kBlue, kPlot, 1});
        case Mark::less_matching:
            return disc(3.2, {{}, kOrange, 1.4});
        case Mark::less_volume: {
            constexpr double kReach = 4.2;
            return scene.add(Shape{
                {{at.x, at.y - kReach}, {at.x + kReach, at.y}, {at.x, at.y + kReach}, {at.x - kReach, at.y}},
                {{}, kSlate, 1.4}});
        }
        case Mark::other: {
            constexpr double kReach = 2.8;
            scene.add(Line{{at.x - kReach, at.y - kReach}, {at.x + kReach, at.y + kReach}, kMuted, 1.4});
            return scene.add(
                Line{{at.x - kReach, at.y + kReach}, {at.x + kReach, at.y - kReach}, kMuted, 1.4});
        }
        case Mark::before:
            return disc(3, {kPlot, kMuted, 1.4});
        case Mark::target:
            return draw_arrow(scene, {at.x - 7, at.y}, {at.x + 7, at.y});
        case Mark::after:
            return disc(2.8, {kGreen, kPlot, 0.8});
        case Mark::unmoved:
            return disc(7, {{}, kRed, 1.5});
    }
}

void draw_arrow(Scene& scene, Point from, Point to) {
    const double length = distance(from, to);
    if (length < kShortestArrow) return;
    const Point direction{(to.x - from.x) / length, (to.y - from.y) / length};
    const double head = std::min(8.0, std::max(4.0, length * 0.7));
    const double half = head * 0.42;
    const Point neck{to.x - direction.x * head, to.y - direction.y * head};
    if (length > head) scene.add(Line{from, neck, kBlue, 1.6});
    scene.add(Shape{{to,
                     {neck.x - direction.y * half, neck.y + direction.x * half},
                     {neck.x + direction.y * half, neck.y - direction.x * half}},
                    {kBlue, {}, 1}});
}

}  // namespace gass::explain
