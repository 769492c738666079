#include "page/html.h"

#include "core/quote.h"
#include "page/shown.h"
#include "page/style.h"
#include "plot/lettered_marks.h"

#include <gass/version.h>

#include <fmt/format.h>

namespace gass::page {

const std::string_view kSpreadMeaning = R"(<dl>
<dt>Vendi</dt><dd>How many different images the set is worth: 1 if all are alike, their number if none resembles another.</dd>
<dt>SPP, along and across</dt><dd>How far the set spreads on the unit sphere of the guide’s embeddings: in what the prompt says, and in all it leaves open.</dd>
<dt>Pairwise</dt><dd>The mean distance between two images of the set, 1 minus their cosine.</dd>
<dt>CLIPScore</dt><dd>The mean cosine between image and prompt: how well the set still matches it.</dd>
</dl>
)";

std::string page_begin(std::string_view title, std::string_view program, Pictures pictures) {
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src {}; "
        "style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{} – {}</title>\n<style>{}</style></head>\n<body>\n",
        // To some browsers no file is of the same origin as another.
        pictures == Pictures::embedded ? "data:" : "'self' file:", kPageScriptHash,
        xml_escaped(beginning(title, 80)), program, kPageStyle);
}

std::string page_end() {
    return fmt::format("<footer>gass {}</footer>\n<script>{}</script>\n</body></html>\n", version(),
                       kPageScript);
}

std::string isolated(std::string_view text) {
    return "<bdi>" + xml_escaped(text) + "</bdi>";
}

std::string method_title(std::size_t method, std::string_view name) {
    // Long ones break where their parameters part; no escape of markup has these characters.
    std::string breakable;
    for (const char c : isolated(name)) {
        breakable += c;
        if (c == ':' || c == ',') breakable += "<wbr>";
    }
    return fmt::format("<span class=\"method\"><span class=\"letter {}\">{}</span><span>{}</span></span>",
                       plot::color_class(method), plot::letter_of(method), breakable);
}

std::string details(std::string_view summary, std::string_view content) {
    return fmt::format("<details><summary>{}</summary>{}</details>\n", summary, content);
}

std::string scroll_box(std::string_view label, std::string_view table) {
    return fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">{}</div>\n",
                       xml_escaped(label), table);
}

}  // namespace gass::page
