#include "core/quote.h"
#include "eval/report/report.h"
#include "eval/report/report_html_parts.h"
#include "eval/report/report_words.h"
#include "io/jpeg.h"
#include "page/html.h"
#include "page/shown.h"
#include "sheet/resize.h"
#include "text/base64.h"

#include <fmt/format.h>

#include <algorithm>

namespace gass::eval {
namespace {

using page::isolated;

constexpr std::uint32_t kLongestSheet = 2048;
constexpr int kSheetQuality = 88;
constexpr std::size_t kPromptCharacters = 160;

std::string title_of(const Suite& suite) {
    return suite.title.empty() ? suite.name : suite.title;
}

std::string link(std::string_view kind, std::string_view id, std::string_view name) {
    return fmt::format("<a href=\"#{}{}\">{}</a>\n", kind, xml_escaped(id),
                       isolated(page::beginning(name, 60)));
}

std::string contents(const Results& results, const std::vector<ReportTable>& tables) {
    std::string out = "<nav aria-label=\"Contents\">";
    for (const ReportTable& table : tables) out += link("table-", table.id, table.title);
    for (const SuiteModel& model : results.suite.models) out += link("model-", model.id, model.name);
    if (!results.sheets.empty()) out += link("", "pictures", "Pictures");
    if (!results.failures.empty()) out += link("", "failures", "Failures");
    return out + link("", "notes", "How the numbers are made") + link("", "provenance", "Provenance") +
           "</nav>\n";
}

std::string header(const Results& results, const std::vector<ReportTable>& tables) {
    const Suite& suite = results.suite;
    std::string out = fmt::format("<header><h1 dir=\"auto\">{}</h1>\n", xml_escaped(title_of(suite)));
    if (!suite.description.empty()) out += fmt::format("<p>{}</p>\n", isolated(suite.description));
    out += fmt::format("<p>{}</p>\n", isolated(summary_paragraph(results)));
    return out + contents(results, tables) + "</header>\n";
}

std::string sheet_figure(const Suite& suite, const SampleSheet& sheet) {
    const std::string prompt = page::beginning(prompt_text(suite, sheet.prompt), kPromptCharacters);
    const std::string_view model = model_name(suite, sheet.model);
    const Image image = at_most(sheet.image, kLongestSheet);
    return fmt::format(
        "<figure><img src=\"data:image/jpeg;base64,{}\" width=\"{}\" height=\"{}\" alt=\"{}: “{}” under all "
        "methods\">"
        "<figcaption>{}: {}</figcaption></figure>\n",
        encode_base64(encode_jpeg(image, kSheetQuality, {})), image.width, image.height, xml_escaped(model),
        xml_escaped(prompt), isolated(model), isolated(prompt));
}

std::string pictures(const Results& results) {
    if (results.sheets.empty()) return {};
    std::string out =
        "<section id=\"pictures\"><h2>Pictures</h2>\n"
        "<p class=\"note\">The same prompt and seeds under all methods; a click enlarges.</p>\n"
        "<div class=\"pictures sheets\">";
    for (const SampleSheet& sheet : results.sheets) out += sheet_figure(results.suite, sheet);
    return out + "</div></section>\n";
}

std::string failures(const Results& results) {
    if (results.failures.empty()) return {};
    std::string table =
        "<table class=\"texts\"><thead><tr><th scope=\"col\">Model</th><th scope=\"col\">Method</th><th "
        "scope=\"col\">Prompt</th>"
        "<th scope=\"col\">Group</th><th scope=\"col\">Reason</th></tr></thead><tbody>\n";
    for (const Failure& failure : results.failures) {
        table += fmt::format(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            isolated(model_name(results.suite, failure.model)),
            isolated(method_name(results.suite, failure.method)),
            isolated(page::beginning(prompt_text(results.suite, failure.prompt), kPromptCharacters)),
            failure.group, isolated(failure.reason));
    }
    return "<section id=\"failures\"><h2>Failures</h2>\n" +
           page::scroll_box("Failures", table + "</tbody></table>") + "</section>\n";
}

std::string notes(const Results& results) {
    std::string out = "<section id=\"notes\"><h2>How the numbers are made</h2>\n<ul class=\"note\">";
    for (const std::string& note : method_notes(results)) out += fmt::format("<li>{}</li>\n", isolated(note));
    return out + "</ul></section>\n";
}

/// JSON text, indented; `xml_escaped` would make one line of it.
std::string code_block(const Json& json) {
    std::string out = "<pre>";
    const std::string text = json.dump(2, ' ', true, Json::error_handler_t::replace);
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += xml_escaped(text.substr(at, end - at)) + "\n";
        at = end + 1;
    }
    return out + "</pre>";
}

std::string provenance(const Results& results) {
    std::string parts;
    for (const auto& [key, value] : results.provenance.items()) {
        if (value.is_object() || value.is_array()) continue;
        parts += fmt::format("<p class=\"note\">{}: {}</p>\n", isolated(key),
                             isolated(value.is_string() ? value.get<std::string>() : value.dump()));
    }
    for (const auto& [key, value] : results.provenance.items()) {
        if (!value.is_object() && !value.is_array()) continue;
        parts += page::details(isolated(key), code_block(value));
    }
    return fmt::format(
        "<section id=\"provenance\"><h2>Provenance</h2>\n<p class=\"note\">Models with the fingerprints of "
        "their "
        "weights, complete method texts and encoders: all it takes to get the same "
        "numbers.</p>\n{}</section>\n",
        parts);
}

}  // namespace

std::string report_html(const Results& results) {
    const TextPainter painter;
    const std::vector<ReportTable> tables = report_tables(results);
    std::string out =
        page::page_begin(title_of(results.suite), "gass eval") + header(results, tables) + "<main>\n";
    for (const ReportTable& table : tables) out += table_section(results, table);
    if (const std::string note = published_note(results); !note.empty())
        out += fmt::format("<p class=\"note table-note\">{}</p>\n", isolated(note));
    for (std::size_t i = 0; i < results.suite.models.size(); ++i) out += model_section(results, i, painter);
    out += pictures(results) + failures(results) + notes(results) + provenance(results);
    return out + "</main>\n" + page::page_end();
}

}  // namespace gass::eval
