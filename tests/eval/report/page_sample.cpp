// Writes the sample pages that the browser test looks at.

#include "eval/report/report.h"
#include "eval/report/sample_results.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

namespace gass::eval {
namespace {

/// A contact sheet as large as those of a run, of coloured squares.
Image sheet_picture(std::uint32_t columns, std::uint32_t rows) {
    constexpr std::uint32_t kSide = 96;
    Image image{.width = columns * kSide, .height = rows * kSide, .rgb = {}};
    for (std::uint32_t y = 0; y < image.height; ++y) {
        for (std::uint32_t x = 0; x < image.width; ++x) {
            const std::uint32_t cell = x / kSide + columns * (y / kSide);
            for (const std::uint32_t factor : {37U, 71U, 113U})
                image.rgb.push_back(static_cast<std::uint8_t>((cell * factor + (x + y) / 4) % 256));
        }
    }
    return image;
}

/// As a run of the suite `mini` could leave it: two models, seven methods, 24 prompts.
Results plain_results() {
    Results results = sample_results();
    Suite& suite = results.suite;
    suite.title = "Diversity on 24 prompts with the embedded models";
    suite.description =
        "Seven methods on mini-unet and mini-flow, eight images of each prompt, measured by encoders that no "
        "method sees.";
    suite.settings["images"] = 8;
    suite.models[0].name = "mini-unet";
    suite.models[1].name = "mini-flow";
    suite.methods = {{"none", "Vanilla Guidance (CFG)", {"none", "none"}},
                     {"pg", "PG-ICLR'24", {"pg", "pg"}},
                     {"cads", "CADS-ICLR'24", {"cads", "cads"}},
                     {"ig", "IG-NeurIPS'24", {"ig", "ig"}},
                     {"spell", "SPELL-ICML'25", {"spell", "spell"}},
                     {"gass-paper", "GASS (paper)", {"gass-paper", "gass-paper"}},
                     {"gass", "GASS (ours)", {"gass", "gass"}}};
    suite.tables[0].title = "Spread of generated and of real images";
    suite.tables[1].title = "Methods on both models";
    suite.tables[1].methods = {"none", "pg", "cads", "ig", "spell", "", "gass-paper", "gass"};
    suite.plots = {{"clip_score", "vendi"}, {"seconds", "spp"}};
    const std::vector<std::string> things{"a red car", "a small wooden house by a lake in the evening",
                                          "two cats on a sofa", "a bowl of fruit"};
    suite.prompts.clear();
    for (std::size_t i = 0; i < 24; ++i)
        suite.prompts.push_back({i, things[i % 4] + (i < 4 ? "" : ", again"), things[i % 4]});
    suite.published->prompts = 24;
    suite.published->images = 8;
    results.failures.clear();
    results.planned = results.done = 2 * 7 * 24;
    results.scores.clear();
    std::mt19937_64 engine(3);
    const auto noise = [&] { return static_cast<double>(engine() % 2001) / 1000 - 1; };
    const std::vector<double> gains{0, 0.05, 0.3, 0.22, 0.35, 0.42, 0.8};
    const std::vector<double> costs{0, 0.001, 0.006, 0.001, 0.008, 0.004, 0.003};
    const std::vector<double> times{3.1, 3.9, 3.1, 2.4, 3.3, 14.8, 5.2};
    for (std::size_t model = 0; model < 2; ++model) {
        std::vector<double> prompts;
        for (std::size_t i = 0; i < 24; ++i) prompts.push_back(noise());
        results.scores.emplace_back();
        for (std::size_t method = 0; method < 7; ++method) {
            std::vector<Scores> scores(5);
            const double weight = model == 0 ? 1.0 : 0.7;
            for (std::size_t i = 0; i < 24; ++i) {
                scores[0].prompts.emplace_back(2.4 + 0.4 * prompts[i] + weight * gains[method] +
                                               0.15 * noise());
                scores[1].prompts.emplace_back(0.301 + 0.01 * prompts[i] - weight * costs[method] +
                                               0.002 * noise());
                scores[2].prompts.emplace_back(0.11 + 0.02 * prompts[i] + 0.05 * weight * gains[method] +
                                               0.01 * noise());
                scores[4].prompts.emplace_back(times[method] + 0.2 * noise());
            }
            scores[3].whole = 41.2 - 6 * gains[method] + noise();
            scores[3].whole_interval = Interval{*scores[3].whole - 1.3, *scores[3].whole + 1.6};
            results.scores.back().push_back(std::move(scores));
        }
    }
    results.real = {results.scores[0][6][0], results.scores[0][0][1], results.scores[0][6][2], {}, {}};
    results.sheets = {{"sd21", 0, sheet_picture(8, 7)},
                      {"sd21", 1, sheet_picture(8, 7)},
                      {"sd3m", 0, sheet_picture(8, 7)},
                      {"sd3m", 1, sheet_picture(8, 7)}};
    return results;
}

/// Texts that are markup, endless or nothing, and methods that all stand on one place.
Results hostile_results() {
    Results results = sample_results();
    const std::string endless(4000, 'w');
    results.suite.title = endless;
    results.suite.description = "<script>alert(1)</script>" + endless;
    results.suite.models[0].name = endless;
    results.suite.methods[1].name = endless;
    results.suite.methods[2].name = "";
    results.suite.metrics[0].name = endless;
    results.suite.tables[0].title = endless;
    results.scores[0] = {results.scores[0][0], results.scores[0][0], results.scores[0][0]};
    results.failures.push_back({"sd21", "cads", 999, 0, endless});
    results.provenance["models"][endless] = "<script>alert(1)</script>" + endless;
    return results;
}

}  // namespace
}  // namespace gass::eval

int main(int count, char** arguments) {
    if (count != 2) return 2;
    const std::filesystem::path folder = arguments[1];
    std::ofstream(folder / "plain.html") << gass::eval::report_html(gass::eval::plain_results());
    std::ofstream(folder / "hostile.html") << gass::eval::report_html(gass::eval::hostile_results());
    return std::ofstream(folder / "done") ? 0 : 1;
}
