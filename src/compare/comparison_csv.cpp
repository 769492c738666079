#include "compare/comparison.h"
#include "compare/measures.h"
#include "core/quote.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

namespace gass {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

/// Any bytes as a field. Readers expect UTF-8 and stop at a NUL: U+FFFD stands for what is neither.
std::string field(std::string_view text) {
    const bool quoted = text.find_first_of(",\"\r\n") != std::string_view::npos;
    std::string out = quoted ? "\"" : "";
    while (!text.empty()) {
        const std::size_t length = utf8_sequence_length(text);
        const std::string_view character = text.substr(0, length == 0 ? 1 : length);
        text.remove_prefix(character.size());
        if (length == 0 || character.front() == '\0') {
            out += "\uFFFD";
        } else {
            if (character == "\"") out += '"';
            out += character;
        }
    }
    if (quoted) out += '"';
    return out;
}

std::string number(const ComparedGroup& group, const compare::Measure& measure) {
    const compare::Number value = compare::value_of(group, measure);
    return value ? fmt::format("{}", *value) : "";
}

}  // namespace

std::string comparison_csv(const Comparison& comparison) {
    using namespace compare;
    std::string out = "prompt,method,images,spp,d_dep,d_ind,vendi,clip_score,pairwise,seconds,seeds,error";
    out += kLineEnd;
    for (const ComparedPrompt& prompt : comparison.prompts) {
        for (const ComparedGroup& group : prompt.groups) {
            std::vector<std::string> fields{field(prompt.prompt), field(group.method),
                                            std::to_string(group.images.size())};
            for (const Measure& measure : {kSpp, kAlong, kAcross, kVendi, kClipScore, kPairwise, kSeconds})
                fields.push_back(number(group, measure));
            fields.push_back(fmt::format("{}", fmt::join(group.seeds, " ")));
            fields.push_back(field(group.error));
            out += fmt::format("{}{}", fmt::join(fields, ","), kLineEnd);
        }
    }
    return out;
}

}  // namespace gass
