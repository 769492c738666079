#include "compare/comparison.h"
#include "compare/page_parts.h"
#include "compare/plots.h"
#include "compare/words.h"
#include "core/quote.h"
#include "core/wording.h"
#include "record/record_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace gass {
namespace compare {
namespace {

// Longer prompts are cut in headings and stand in full below them.
constexpr std::size_t kHeadingCharacters = 160;

bool has_several_prompts(const Comparison& comparison) {
    return comparison.prompts.size() > 1;
}

std::string title(const Comparison& comparison) {
    if (comparison.prompts.empty()) return "Nothing to compare";
    if (!has_several_prompts(comparison)) {
        const std::string prompt = beginning(comparison.prompts.front().prompt, kHeadingCharacters);
        return prompt.empty() ? "no prompt" : prompt;
    }
    const std::size_t methods = methods_of(comparison).size();
    return fmt::format("{} on {}", counted(methods, "method"), counted(comparison.prompts.size(), "prompt"));
}

/// Nothing if the heading shows all of it.
std::string whole_prompt(const std::string& prompt) {
    if (beginning(prompt, kHeadingCharacters) == prompt) return {};
    return details("The whole prompt", "<p class=\"whole\">" + isolated(prompt) + "</p>");
}

std::string settings_list(const Comparison& comparison) {
    std::string list;
    const auto add = [&](std::string_view key, const std::string& value) {
        list += fmt::format("{} = {}\n", xml_escaped(key), isolated(value));
    };
    add("model", comparison.model);
    if (!comparison.guide.empty()) add("guide", comparison.guide);
    const auto texts = texts_of(comparison.settings);
    for (const std::string_view key : kCommonSettings) {
        const auto found = std::ranges::find(texts, key, [](const auto& text) { return text.first; });
        if (found != texts.end()) add(key, found->second);
    }
    return details("Settings of all methods", "<pre>" + list + "</pre>");
}

std::string header(const Comparison& comparison) {
    std::string out = fmt::format("<header><h1 dir=\"auto\">{}</h1>\n<p>{}</p>\n",
                                  xml_escaped(title(comparison)), isolated(origin_line(comparison)));
    if (comparison.prompts.size() == 1) out += whole_prompt(comparison.prompts.front().prompt);
    return out + settings_list(comparison) + "</header>\n";
}

std::string numbers(const Comparison& comparison) {
    const std::vector<ComparedMethod> methods = methods_of(comparison);
    if (methods.empty()) return {};
    std::string out =
        fmt::format("<section><h2>{}</h2>\n",
                    has_several_prompts(comparison) ? "Numbers, as means over the prompts" : "Numbers");
    out += numbers_table(methods, has_several_prompts(comparison) ? "" : "p0");
    out += "<p class=\"note table-note\">Framed: the best of a column; ↑ more is better, ↓ less is.";
    if (methods.size() > 1) {
        out += fmt::format(" Below a number: its difference to {}, {}.", letter_of(0),
                           isolated(beginning(methods.front().name, 60)));
    }
    if (const std::string caution = comparison_caution(comparison); !caution.empty())
        out += fmt::format(" {}", isolated(beginning(caution, 600)));
    return out + "</p></section>\n";
}

std::string tradeoff(const Comparison& comparison, const TextPainter& painter) {
    std::string plot = tradeoff_plot(comparison, painter);
    if (plot.empty()) plot = "<p class=\"note\">No method has numbers to draw.</p>";
    std::string note = "<p class=\"note\">Better is up and to the right.";
    if (has_several_prompts(comparison)) note += " Small points are single prompts, around their mean.";
    return fmt::format(
        "<section><h2>Diversity and alignment</h2>\n<div class=\"split\"><div "
        "class=\"panel\">{}{}</p></div>\n"
        "{}</div></section>\n",
        plot, note, page::kSpreadMeaning);
}

std::string prompt_section(const Comparison& comparison, std::size_t index, const TextPainter& painter) {
    const ComparedPrompt& prompt = comparison.prompts[index];
    std::string out = "<section>";
    if (has_several_prompts(comparison)) {
        const std::string heading = beginning(prompt.prompt, kHeadingCharacters);
        out += fmt::format("<h2 dir=\"auto\" id=\"p{}\">{}</h2>\n{}", index,
                           heading.empty() ? "no prompt" : xml_escaped(heading), whole_prompt(prompt.prompt));
        out += numbers_table(methods_of(prompt), fmt::format("p{}", index));
    } else {
        out += "<h2>Pictures</h2>\n";
    }
    out +=
        "<p class=\"note table-note\">The plots show each picture’s cosine to the prompt (along) and its "
        "place on the "
        "axis that its own set differs along most (across), all on the same scales.</p>\n";
    return out + group_blocks(prompt, index, painter) + "</section>\n";
}

}  // namespace

}  // namespace compare

std::string comparison_page(const Comparison& comparison) {
    const TextPainter painter;
    std::string out = page::page_begin(compare::title(comparison), "gass compare") +
                      compare::header(comparison) + "<main>\n";
    out += compare::numbers(comparison);
    out += compare::tradeoff(comparison, painter);
    for (std::size_t i = 0; i < comparison.prompts.size(); ++i)
        out += compare::prompt_section(comparison, i, painter);
    return out + "</main>\n" + page::page_end();
}

}  // namespace gass
