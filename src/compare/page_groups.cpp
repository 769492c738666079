#include "compare/page_parts.h"
#include "compare/plots.h"
#include "compare/words.h"
#include "core/quote.h"
#include "explain/figure.h"
#include "io/png.h"
#include "record/labels.h"
#include "sheet/resize.h"
#include "text/base64.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gass::compare {
namespace {

std::string picture(const Image& image, const std::string& caption, std::string_view method) {
    const std::vector<std::byte> png = encode_png(at_most(image, kLongestShown), {});
    return fmt::format(
        "<figure><img src=\"data:image/png;base64,{}\" width=\"{}\" height=\"{}\" alt=\"{}, {}\">"
        "<figcaption>{}</figcaption></figure>\n",
        encode_base64(png), image.width, image.height, xml_escaped(method), caption, caption);
}

std::string pictures(const ComparedGroup& group) {
    std::string out = "<div class=\"pictures\">";
    const std::string method = beginning(group.method, 80);
    for (std::size_t i = 0; i < group.images.size(); ++i) {
        const std::string caption =
            i < group.seeds.size() ? fmt::format("seed {}", group.seeds[i]) : fmt::format("image {}", i + 1);
        out += picture(group.images[i], caption, method);
    }
    return out + "</div>\n";
}

/// Empty if nothing was measured.
std::string numbers_line(const ComparedGroup& group) {
    std::vector<std::string> parts;
    if (const auto spread = spread_of(group)) parts.push_back(explain::spread_line(*spread));
    if (const Number seconds = value_of(group, kSeconds)) parts.push_back(shown(seconds, kSeconds) + " s");
    return fmt::format("{}", fmt::join(parts, " · "));
}

std::string sphere(const ComparedGroup& group, std::size_t method, const SphereAxes& axes,
                   const TextPainter& painter) {
    const std::string plot = sphere_plot(group, method, axes, painter);
    if (plot.empty()) return "<p class=\"note\">How far these images lie apart could not be measured.</p>\n";
    return fmt::format("<div class=\"sphere\">{}</div>\n", plot);
}

std::string block(const ComparedGroup& group, std::size_t method, const SphereAxes& axes,
                  const TextPainter& painter) {
    if (!group.error.empty())
        return fmt::format("<p class=\"error\"><strong>Failed.</strong> {}</p>\n", isolated(group.error));
    return fmt::format("<p class=\"numbers\">{}</p>\n<div class=\"pair\">{}{}</div>\n", numbers_line(group),
                       pictures(group), sphere(group, method, axes, painter));
}

}  // namespace

std::string group_blocks(const ComparedPrompt& prompt, std::size_t index, const TextPainter& painter) {
    const SphereAxes axes = sphere_axes(prompt);
    std::string out;
    for (std::size_t i = 0; i < prompt.groups.size(); ++i) {
        const ComparedGroup& group = prompt.groups[i];
        out += fmt::format("<article id=\"p{}-m{}\"><h3>{}</h3>\n", index, i,
                           method_title(i, beginning(group.method, 120)));
        out += block(group, i, axes, painter);
        if (!group.settings.empty())
            out += details("Settings", "<code>" + isolated(spaced_method(group.settings)) + "</code>");
        out += "</article>\n";
    }
    return out;
}

}  // namespace gass::compare
