#include "compare/comparison.h"
#include "compare/measures.h"
#include "core/csv.h"
#include "core/optional_number.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gass {
std::string comparison_csv(const Comparison& comparison) {
    using namespace compare;
    std::string out = "prompt,method,images,spp,d_dep,d_ind,vendi,clip_score,pairwise,seconds,seeds,error";
    out += kCsvLineEnd;
    for (const ComparedPrompt& prompt : comparison.prompts) {
        for (const ComparedGroup& group : prompt.groups) {
            std::vector<std::string> fields{csv_field(prompt.prompt), csv_field(group.method),
                                            std::to_string(group.images.size())};
            for (const Measure& measure : {kSpp, kAlong, kAcross, kVendi, kClipScore, kPairwise, kSeconds})
                fields.push_back(or_empty(value_of(group, measure)));
            fields.push_back(fmt::format("{}", fmt::join(group.seeds, " ")));
            fields.push_back(csv_field(group.error));
            out += fmt::format("{}{}", fmt::join(fields, ","), kCsvLineEnd);
        }
    }
    return out;
}

}  // namespace gass
