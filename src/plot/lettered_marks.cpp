#include "plot/lettered_marks.h"

#include <fmt/format.h>

namespace gass::plot {
namespace {

constexpr double kRadius = 9;
constexpr double kRingRadius = kRadius + 3;
constexpr double kPlaceRadius = 2.5;

double radius_of(const LetteredMark& mark) {
    return mark.has_ring ? kRingRadius : kRadius;
}

}  // namespace

std::string letter_of(std::size_t method) {
    constexpr std::size_t kLetters = 26;
    return method < kLetters ? std::string(1, static_cast<char>('A' + method)) : std::to_string(method + 1);
}

std::string color_class(std::size_t method) {
    constexpr std::size_t kColors = 8;
    return fmt::format("m{}", method % kColors);
}

void draw_lettered_marks(Plot& plot, const std::vector<LetteredMark>& marks) {
    std::vector<Point> places;
    double largest = kRadius;
    for (const LetteredMark& mark : marks) {
        places.push_back(mark.place);
        if (mark.has_ring) largest = kRingRadius;
    }
    const double box = 2 * largest + 2;
    const std::vector<Point> centers = push_apart(places, box, box, plot.area()).value_or(places);

    for (std::size_t i = 0; i < marks.size(); ++i) {
        plot.keep_off(centers[i], radius_of(marks[i]));
        if (distance(centers[i], places[i]) < 1) continue;
        plot.line(centers[i], places[i], "leader");
        plot.disc(places[i], kPlaceRadius, color_class(marks[i].method), "");
        plot.keep_off(places[i], kPlaceRadius);
    }
    for (std::size_t i = 0; i < marks.size(); ++i) {
        if (marks[i].has_ring) plot.disc(centers[i], kRingRadius, "ring", "");
        plot.disc(centers[i], kRadius, "mark " + color_class(marks[i].method), marks[i].tooltip);
        plot.text({centers[i].x, centers[i].y + 4}, letter_of(marks[i].method), "letter");
    }
    for (std::size_t i = 0; i < marks.size(); ++i)
        plot.label(centers[i], radius_of(marks[i]), marks[i].name, "name");
}

}  // namespace gass::plot
