#include "explain/panels.h"
#include "sheet/resize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gass::explain {

using plot::Disc;
using plot::kPixelsPerUnit;
using plot::Line;
using plot::TextRun;
using plot::Thumbnail;

namespace {

// Space for the seed under a picture, and around both.
constexpr double kLabelHeight = 14;
constexpr double kPictureGap = 5;
// Where pictures take more of a plot than this, pushing them apart leads them too far away.
constexpr double kFullest = 0.45;

struct Shown {
    std::size_t picture = 0;
    Point point;  // its place
};

/// The pictures' size, and the centres of their boxes.
struct Arrangement {
    std::uint32_t side = 0;  // 0: there is no room for pictures
    std::vector<Point> centers;
};

Arrangement arranged(const std::vector<Shown>& shown, const Area& plot) {
    const Area bounds{plot.left + 2, plot.top + 2, plot.width - 4, plot.height - 4};
    for (const std::uint32_t side : {kThumbnailSide, 56U, 48U, 40U, 32U, 24U}) {
        const double width = side + kPictureGap;
        const double height = side + kLabelHeight + kPictureGap;
        const double share =
            static_cast<double>(shown.size()) * width * height / (bounds.width * bounds.height);
        if (share > kFullest) continue;
        std::vector<Point> wanted;
        for (const Shown& one : shown) wanted.push_back({one.point.x, one.point.y + kLabelHeight / 2});
        auto centers = plot::push_apart(wanted, width, height, bounds);
        if (centers) return {side, *std::move(centers)};
    }
    return {};
}

/// As much of the seed's end as the picture is wide.
std::string fitting_seed(const TextPainter& painter, std::uint64_t seed, double width) {
    for (std::size_t length = 20; length > 2; --length) {
        std::string text = plot::seed_label(seed, length);
        if (static_cast<double>(painter.width(text, kLabelSize)) <= width) return text;
    }
    return {};
}

/// A picture, or a grey square in its place; the area it takes.
Area draw_picture(Scene& scene, const std::optional<Image>& thumbnail, Point center, std::uint32_t side) {
    double width = side;
    double height = side;
    std::optional<Image> image;
    if (thumbnail) {
        image = fitted(*thumbnail, side * kPixelsPerUnit);
        width = image->width / static_cast<double>(kPixelsPerUnit);
        height = image->height / static_cast<double>(kPixelsPerUnit);
    }
    const Area area{std::round(center.x - width / 2), std::round(center.y - height / 2), width, height};
    if (image) scene.add(Thumbnail{{area.left, area.top}, *std::move(image)});
    scene.add_area(area, {image ? std::nullopt : std::optional(kEmpty), kFrame, 1});
    return area;
}

/// From a picture that was pushed away to its place.
void draw_leader(Scene& scene, const Area& area, Point point) {
    const Point edge{std::clamp(point.x, area.left, area.right()),
                     std::clamp(point.y, area.top, area.bottom())};
    if (edge != point) {
        scene.add(Line{edge, point, kPlot, 3});
        scene.add(Line{edge, point, kLabel, 1});
    }
    scene.add(Disc{point, 3, {kBlue, kPlot, 1}});
}

void draw_pictures(const GroupStory& story, const std::vector<std::optional<Image>>& thumbnails, Scene& scene,
                   const TextPainter& painter, const Frame& frame) {
    std::vector<Shown> shown;
    const std::vector<std::optional<Place>> places = places_of(*story.spread);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i]) shown.push_back({i, frame.at(*places[i])});
    }
    const Arrangement arrangement = arranged(shown, frame.plot);
    if (arrangement.side == 0) {
        DrawnMarks drawn;
        for (const Shown& one : shown) {
            if (drawn.adds(0, one.point)) draw_mark(scene, Mark::kept, one.point);
        }
        return;
    }
    std::vector<Area> areas;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const std::size_t picture = shown[i].picture;
        const Point center{arrangement.centers[i].x, arrangement.centers[i].y - kLabelHeight / 2};
        areas.push_back(draw_picture(scene, picture < thumbnails.size() ? thumbnails[picture] : std::nullopt,
                                     center, arrangement.side));
        if (const auto seed = story.seed_of(picture)) {
            scene.add(TextRun{{center.x, areas.back().bottom() + kLabelSize + 1},
                              fitting_seed(painter, *seed, arrangement.side),
                              kLabelSize,
                              kLabel,
                              Anchor::middle});
        }
    }
    // Above all pictures, since a place may lie under one that is not its own.
    for (std::size_t i = 0; i < shown.size(); ++i) {
        if (distance(areas[i].center(), shown[i].point) > 2) draw_leader(scene, areas[i], shown[i].point);
    }
}

}  // namespace

Panel pictures_panel(const GroupStory& story, const std::vector<std::optional<Image>>& thumbnails) {
    Panel panel;
    panel.title = fmt::format("The {} finished images", story.spread->along.size());
    panel.legend = {{Mark::kept, "the place of a picture that was moved to be seen"}};
    panel.across_title = "↑ across: projection on the axis they differ along most";
    panel.inset =
        kThumbnailSide / 2.0 + kLabelHeight + kPictureGap;  // the outermost ones need not be pushed in
    for (const auto& place : places_of(*story.spread)) {
        if (place) panel.covered.push_back(*place);
    }
    panel.draw = [&story, &thumbnails](Scene& scene, const TextPainter& painter, const Frame& frame) {
        draw_pictures(story, thumbnails, scene, painter, frame);
    };
    return panel;
}

}  // namespace gass::explain
