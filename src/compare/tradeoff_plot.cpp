#include "compare/measures.h"
#include "compare/plots.h"
#include "page/shown.h"
#include "plot/lettered_marks.h"
#include "plot/scatter_plot.h"

#include <fmt/format.h>

#include <optional>

namespace gass::compare {
namespace {

using page::beginning;
using plot::color_class;
using plot::letter_of;
using plot::LetteredMark;
using plot::Plot;
using plot::PlotFrame;
using plot::Point;
using plot::roomy_range;

constexpr double kPromptRadius = 2.5;

struct Spot {
    double alignment = 0;
    double diversity = 0;
};

std::optional<Spot> spot(Number alignment, Number diversity) {
    if (!alignment || !diversity) return std::nullopt;
    return Spot{*alignment, *diversity};
}

/// A method's mean, and where each prompt stands if there are several.
struct Marked {
    std::size_t method = 0;
    std::string name;
    Spot mean;
    std::vector<Spot> prompts;

    std::string text() const {
        return fmt::format("{}, {}: CLIPScore {}, Vendi {}", letter_of(method), name,
                           shown(mean.alignment, kClipScore), shown(mean.diversity, kVendi));
    }
};

std::vector<Marked> marked(const Comparison& comparison) {
    std::vector<Marked> result;
    const std::vector<ComparedMethod> methods = methods_of(comparison);
    for (std::size_t i = 0; i < methods.size(); ++i) {
        // Both means are over the same prompts.
        std::vector<const ComparedGroup*> complete;
        std::vector<Spot> prompts;
        for (const ComparedGroup* group : methods[i].groups) {
            const auto one = spot(value_of(*group, kClipScore), value_of(*group, kVendi));
            if (!one) continue;
            complete.push_back(group);
            prompts.push_back(*one);
        }
        const auto mean = spot(mean_of(complete, kClipScore).value, mean_of(complete, kVendi).value);
        if (!mean) continue;
        if (comparison.prompts.size() < 2) prompts.clear();
        result.push_back({i, beginning(methods[i].name, 80), *mean, std::move(prompts)});
    }
    return result;
}

PlotFrame frame_for(const std::vector<Marked>& marks) {
    PlotFrame frame{.description = "Diversity over alignment.",
                    .x_title = "CLIPScore: matches the prompt →",
                    .y_title = "↑ Vendi: images differ",
                    .x = {},
                    .y = {},
                    .width = 360,
                    .height = 300};
    std::vector<double> x;
    std::vector<double> y;
    const auto cover = [&](const Spot& one) {
        x.push_back(one.alignment);
        y.push_back(one.diversity);
    };
    for (const Marked& mark : marks) {
        frame.description += " " + mark.text() + ".";
        cover(mark.mean);
        for (const Spot& one : mark.prompts) cover(one);
    }
    frame.x = roomy_range(x);
    frame.y = roomy_range(y);
    return frame;
}

/// Rays from the mean tell without colours which small points are a method's own.
void draw_prompts(Plot& plot, const Marked& mark) {
    const Point mean = plot.at(mark.mean.alignment, mark.mean.diversity);
    for (const Spot& one : mark.prompts) {
        const Point point = plot.at(one.alignment, one.diversity);
        plot.line(mean, point, "ray " + color_class(mark.method));
        plot.disc(point, kPromptRadius, "faint " + color_class(mark.method), "");
    }
}

}  // namespace

std::string tradeoff_plot(const Comparison& comparison, const TextPainter& painter) {
    const std::vector<Marked> marks = marked(comparison);
    if (marks.empty()) return {};
    Plot plot(painter, frame_for(marks));
    std::vector<LetteredMark> letters;
    for (const Marked& mark : marks) {
        draw_prompts(plot, mark);
        letters.push_back({.method = mark.method,
                           .name = mark.name,
                           .place = plot.at(mark.mean.alignment, mark.mean.diversity),
                           .tooltip = mark.text()});
    }
    plot::draw_lettered_marks(plot, letters);
    return plot.svg();
}

}  // namespace gass::compare
