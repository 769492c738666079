#include "explain/figure.h"

#include "explain/panels.h"
#include "record/labels.h"
#include "sheet/resize.h"

#include <gass/error.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace gass::explain {

using plot::Anchor;
using plot::Shape;
using plot::TextRun;

namespace {

constexpr double kMargin = 28;
constexpr double kGap = 36;
constexpr unsigned kPromptSize = 20;
constexpr unsigned kLineSize = 13;
constexpr std::size_t kPromptLines = 2;

/// How panels stand beside and under each other.
struct Grid {
    std::size_t columns = 1;
    double panel_width = 0;
    double plot_height = 0;
};

Grid grid_for(std::size_t panels) {
    if (panels <= 1) return {1, 760, 460};
    if (panels == 3) return {3, 490, 360};
    return {2, 600, 380};
}

std::string shown(Number number, int decimals) {
    return number ? fmt::format("{:.{}f}", *number, decimals) : "–";
}

/// The lines above the panels; where the next thing may begin.
double draw_header(Scene& scene, const TextPainter& painter, const GroupStory& story) {
    const auto width = static_cast<std::int64_t>(scene.width - 2 * kMargin);
    double y = kMargin - 6;
    const auto put = [&](const std::string& text, unsigned size, Color color, std::size_t lines) {
        for (const std::string& line : painter.wrap(text, size, width, lines)) {
            y += size * 1.25;
            scene.add(TextRun{{kMargin, y}, line, size, color, Anchor::start});
        }
    };
    put(story.prompt.empty() ? "no prompt" : story.prompt, kPromptSize, kInk, kPromptLines);
    y += 5;
    put(origin_line(story), kLineSize, kMuted, 1);
    y += 3;
    if (story.spread) put(spread_line(*story.spread), kLineSize, kLabel, 1);
    return y + 30;
}

}  // namespace

std::string spread_line(const Spread& spread) {
    return fmt::format("SPP {} (along {}, across {}) · Vendi {} of {} · pairwise {} · CLIPScore {}",
                       shown(spread.spp, 3), shown(spread.d_dep, 3), shown(spread.d_ind, 3),
                       shown(spread.vendi, 2), spread.along.size(), shown(spread.pairwise, 3),
                       shown(spread.clip_score, 3));
}

std::string origin_line(const GroupStory& story) {
    std::vector<std::string> parts;
    if (!story.model.empty()) parts.push_back(model_label(story.model));
    if (!story.method.empty()) parts.push_back("method " + short_method(story.method));
    return fmt::format("{}", fmt::join(parts, " · "));
}

std::vector<std::optional<Image>> read_thumbnails(const std::filesystem::path& folder,
                                                  const std::vector<RecordedPicture>& pictures,
                                                  std::vector<std::string>& unreadable) {
    constexpr std::size_t kMostPictures = 256;
    std::vector<std::optional<Image>> thumbnails(pictures.size());
    if (pictures.size() > kMostPictures) return thumbnails;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        try {
            thumbnails[i] =
                fitted(read_image(folder / pictures[i].file).image, kThumbnailSide * plot::kPixelsPerUnit);
        } catch (const Error& error) {
            unreadable.emplace_back(error.what());
        }
    }
    return thumbnails;
}

Scene draw_figure(const GroupStory& story, const std::vector<std::optional<Image>>& thumbnails) {
    std::vector<Panel> panels;
    if (!story.selections.empty()) panels.push_back(selection_panel(story.selections.front()));
    for (Panel& panel : move_panels(story)) panels.push_back(std::move(panel));
    if (story.spread) panels.push_back(pictures_panel(story, thumbnails));

    const TextPainter painter;
    const Grid grid = grid_for(panels.size());
    Scene scene;
    scene.width = 2 * kMargin + static_cast<double>(grid.columns) * (grid.panel_width + kGap) - kGap;
    scene.title = story.prompt;
    scene.parts.reserve(1024);
    // Its height is known last.
    scene.add(Shape{});
    double top = draw_header(scene, painter, story);
    for (std::size_t start = 0; start < panels.size(); start += grid.columns) {
        const std::size_t end = std::min(start + grid.columns, panels.size());
        std::size_t lines = 0;
        for (std::size_t i = start; i < end; ++i) {
            const double left = kMargin + static_cast<double>(i - start) * (grid.panel_width + kGap);
            draw_panel(scene, painter, panels[i], {left, top}, grid.panel_width, grid.plot_height);
            lines = std::max(lines, caption_lines(panels[i], painter, grid.panel_width).size());
        }
        top += panel_height(grid.plot_height, lines) + kGap;
    }
    scene.height = std::ceil(top - kGap + kMargin);
    scene.parts.front() = Shape{{{0, 0}, {scene.width, 0}, {scene.width, scene.height}, {0, scene.height}},
                                {kBackground, {}, 1}};
    return scene;
}

}  // namespace gass::explain
