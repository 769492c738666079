#include "gallery/set_page.h"

#include "core/quote.h"
#include "explain/figure.h"
#include "gallery/command_line.h"
#include "gallery/words.h"
#include "page/html.h"
#include "page/shown.h"
#include "record/record_json.h"

#include <fmt/format.h>

#include <cstddef>

namespace gass::gallery {
namespace {

using page::isolated;

// Longer prompts are cut in the heading and stand in full below it.
constexpr std::size_t kHeadingCharacters = 160;

std::string header(const Record& record) {
    const std::string heading = page::beginning(record.prompt, kHeadingCharacters);
    std::string out =
        fmt::format("<header><h1 dir=\"auto\">{}</h1>\n<p>{}</p>\n",
                    heading.empty() ? "no prompt" : xml_escaped(heading), isolated(origin_line(record)));
    if (heading != record.prompt)
        out += page::details("The whole prompt", "<p class=\"whole\">" + isolated(record.prompt) + "</p>");
    if (const auto lines = wish_lines(record); !lines.empty()) {
        out += "<p class=\"note\">";
        for (const std::string& line : lines) out += isolated(line) + "<br>\n";
        out += "</p>\n";
    }
    return out + "</header>\n";
}

std::string figure(const Group& group, std::size_t index, const std::string& file) {
    const GroupImage& image = group.images[index];
    const std::string label = picture_label(group, index);
    std::string caption =
        fmt::format("<a href=\"{}\">{}</a> · {}", xml_escaped(file), xml_escaped(file), isolated(label));
    std::string spoken = label;
    for (const std::string& line : axis_lines(group.record, image)) {
        caption += "<br>" + isolated(line);
        spoken += ", " + line;
    }
    return fmt::format(
        "<figure><img src=\"{}\" width=\"{}\" height=\"{}\" loading=\"lazy\" alt=\"{}, {}\">"
        "<figcaption>{}</figcaption></figure>\n",
        xml_escaped(file), image.width, image.height, xml_escaped(file), xml_escaped(spoken), caption);
}

/// What the numbers say, in a sentence; empty where the guide saw nothing.
std::string in_words(const Group& group) {
    const Spread& spread = *group.spread;
    if (!spread.vendi) return {};
    std::string out = fmt::format("<p>These {} images are worth about {} that have nothing in common.",
                                  group.images.size(), page::shown(spread.vendi, 1));
    if (group.record.settings.guide)
        out += " The guide that counts them helped to make them, and sees them further apart than others do.";
    return out + "</p>\n";
}

std::string numbers(const Group& group) {
    if (!group.spread || group.images.size() < 2) return {};  // one image has no spread
    return fmt::format("<section><h2>How far it spreads</h2>\n{}<p class=\"numbers\">{}</p>\n{}</section>\n",
                       in_words(group), explain::spread_line(*group.spread),
                       page::details("What these numbers mean", page::kSpreadMeaning));
}

/// `markup` is text with marks that say where it may break.
std::string copyable(std::string_view markup) {
    return fmt::format("<pre><bdi>{}</bdi></pre><button type=\"button\" class=\"copy\">Copy</button>\n",
                       markup);
}

/// Flags stay whole, and what is long breaks where its parameters part.
std::string command(const Record& record) {
    std::string out;
    for (const std::string& word : command_words(record)) {
        if (!out.empty()) out += ' ';
        if (word.starts_with('-')) {
            out += fmt::format("<span class=\"flag\">{}</span>", xml_escaped(word));
            continue;
        }
        for (const char c : xml_escaped(word)) {
            out += c;
            if (c == ',') out += "<wbr>";
        }
    }
    return out;
}

std::string recipe(const Record& record) {
    return fmt::format("<section><h2>Make it again</h2>\n{}{}</section>\n", copyable(command(record)),
                       page::details("The same as JSON", copyable(xml_escaped(to_json(record).dump(2)))));
}

}  // namespace

std::string set_page(const Group& group, const Record& record, const std::vector<std::string>& files) {
    std::string out = page::page_begin(group.record.prompt, "gass generate", page::Pictures::beside);
    out += header(group.record);
    out += "<section><h2 class=\"unseen\">Pictures</h2>\n<div class=\"pictures large\">";
    for (std::size_t i = 0; i < files.size(); ++i) out += figure(group, i, files[i]);
    out += "</div></section>\n";
    out += numbers(group);
    out += recipe(record);
    return out + page::page_end();
}

}  // namespace gass::gallery
