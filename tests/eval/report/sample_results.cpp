#include "eval/report/sample_results.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gass::eval {
namespace {

SuiteMetric metric(std::string id, std::string name, std::optional<Metric> kind, int decimals,
                   bool more_is_better) {
    SuiteMetric result;
    result.id = std::move(id);
    result.name = std::move(name);
    result.encoder = kind ? "mini-clip" : "";
    result.metric = kind;
    result.decimals = decimals;
    result.more_is_better = more_is_better;
    return result;
}

SuiteTable table(std::string id, std::string title, TableLayout layout, std::vector<std::string> models,
                 std::vector<std::string> methods, std::vector<std::string> metrics, Json published) {
    SuiteTable result;
    result.id = std::move(id);
    result.title = std::move(title);
    result.layout = layout;
    result.models = std::move(models);
    result.methods = std::move(methods);
    result.metrics = std::move(metrics);
    result.published = std::move(published);
    return result;
}

std::vector<SuiteTable> sample_tables() {
    const Json sources{
        {"sd21", {{"clip_score", {0.303, 0.03}}, {"spp", {0.146, 0.04}}}},
        {"real", {{"clip_score", {0.293, 0.02}}, {"spp", {0.22, 0.05}}}},
    };
    const Json methods{
        {"sd21",
         {{"none", {{"vendi", 8.599}, {"clip_score", 0.306}, {"spp", 0.122}}},
          {"cads", {{"vendi", 8.784}, {"clip_score", 0.305}, {"spp", 0.125}}},
          {"gass", {{"vendi", 8.847}, {"clip_score", 0.307}, {"spp", 0.135}}}}},
        {"sd3m", {{"none", {{"vendi", 8.115}, {"clip_score", 0.318}, {"spp", 0.113}}}}},
    };
    const Json splits{
        {"short", {{"vendi", {8.301, 8.535}}, {"clip_score", {0.322, 0.321}}}},
        {"long", {{"vendi", {7.549, 7.935}}, {"clip_score", {0.31, 0.31}}}},
    };
    return {
        table("table1", "Spread of generated and of real images", TableLayout::sources, {"sd21"}, {"none"},
              {"clip_score", "spp"}, sources),
        table("table3", "Methods & models, 100 % of them", TableLayout::methods, {"sd21", "sd3m"},
              {"none", "cads", "", "gass"}, {"vendi", "clip_score", "spp", "fid", "seconds"}, methods),
        table("table4", "By the length of the prompt", TableLayout::splits, {"sd21"}, {"gass"},
              {"vendi", "clip_score"}, splits),
    };
}

Suite sample_suite() {
    Suite suite;
    suite.name = "sample";
    suite.title = "A sample <of a> suite";
    suite.description = "Two models, three methods, six prompts.";
    suite.settings = {{"images", 4}, {"steps", 10}};
    suite.models = {{"sd21", "SD2.1", {{"model", "mini-diffusion"}}},
                    {"sd3m", "SD3_M <b>", {{"model", "mini-flow"}}}};
    suite.methods = {{"none", "Vanilla Guidance (CFG)", {"none", "none"}},
                     {"cads", "CADS-ICLR'24", {"cads:scale=0.15", "cads:scale=0.1"}},
                     {"gass", "GASS (ours)", {"gass", "gass"}}};
    suite.baseline = "none";
    suite.prompts = {
        {0, "a red cube", "cube"},
        {1, "<script>alert(\"1 & 2\")</script>", "<script>alert(\"1 & 2\")</script>"},
        {2, "a | b || `code` | ```", "a | b || `code` | ```"},
        {3, "snake_case *stars* ~tilde~ $5 #1 100% {braces} \\back^hat [link](javascript:alert)",
         "snake_case *stars* ~tilde~ $5 #1 100% {braces} \\back^hat [link](javascript:alert)"},
        {4, "\"quotes\", commas,\nand a line\r\nor 'two'", "\"quotes\", commas,\nand a line\r\nor 'two'"},
        {5, "قطة حمراء \u202Eright to left\u202C \u00e9", "قطة"},
    };
    suite.metrics = {metric("vendi", "VS", Metric::vendi, 3, true),
                     metric("clip_score", "ClipScore", Metric::clip_score, 3, true),
                     metric("spp", "SPP", Metric::spp, 3, true), metric("fid", "FID", Metric::fid, 2, false),
                     metric("seconds", "Time [s]", std::nullopt, 2, false)};
    suite.reference = {.images = "photos", .encoder = "", .as_row = true};
    suite.splits = {{"short", "Short", 0, 4}, {"long", "Long", 5, 0}};
    suite.tables = sample_tables();
    suite.plots = {{"clip_score", "vendi"}};
    suite.samples = 2;
    suite.published = PublishedRun{"Zhu et al., GASS", 6, 4, {{"sd21", 865910724}}};
    return suite;
}

Scores over_prompts(double base, const std::vector<double>& steps, double scale) {
    Scores scores;
    for (const double step : steps) scores.prompts.emplace_back(base + scale * step);
    return scores;
}

/// The metrics of one method, by how far each prompt is above the model's own base.
std::vector<Scores> scores_of(double base, const std::vector<double>& steps, double seconds) {
    std::vector<Scores> scores{over_prompts(base, steps, 1.0), over_prompts(0.3, steps, -0.01),
                               over_prompts(0.1, steps, 0.02)};
    Scores fid;
    fid.whole = 10.0 + seconds;
    fid.whole_interval = Interval{9.5 + seconds, 10.75 + seconds};
    scores.push_back(fid);
    scores.push_back(over_prompts(seconds, steps, 0.0625));
    return scores;
}

SampleSheet sheet(std::string model, std::size_t prompt, std::uint8_t shade) {
    Image image{.width = 3, .height = 2, .rgb = std::vector<std::uint8_t>(18, shade)};
    image.rgb[0] = 255;
    return {std::move(model), prompt, std::move(image)};
}

}  // namespace

Results sample_results() {
    Results results;
    results.suite = sample_suite();
    const std::vector<double> none{0.0, 0.25, 0.5, 0.125, 0.375, 0.25};
    const std::vector<double> cads{0.25, 0.0, 0.75, 0.0, 0.25, 0.375};
    const std::vector<double> gass{0.5, 0.5, 1.0, 0.375, 0.875, 0.5};
    for (const double base : {2.0, 1.5})
        results.scores.push_back(
            {scores_of(base, none, 1.0), scores_of(base, cads, 1.0), scores_of(base, gass, 2.5)});

    for (Scores& scores : results.scores[1][2]) {
        if (!scores.prompts.empty()) scores.prompts[4].reset();
    }
    Scores& fid = results.scores[1][2][3];
    fid = {};
    fid.reason = "a group of <every> prompt | is needed";
    results.failures = {{"sd3m", "gass", 4, 0, "not enough memory:\n8 GB `wanted` | <b>4</b> _there_"}};

    results.real = scores_of(2.5, {1.0, 0.75, 1.0, 1.25, 1.0, 1.0}, 0.0);
    results.real[3] = {};
    results.real[3].reason = "the reference is not compared with itself";
    results.real[4] = {};
    results.real[4].reason = "nobody made them";

    results.planned = 36;
    results.done = 35;
    results.matches_published = {true, false};
    results.provenance = {
        {"gass", "1.0"},
        {"models",
         {{"sd21",
           {{"model", "mini-diffusion"},
            {"fingerprint", "00112233445566778899aabbccddeeff"},
            {"settings", {{"images", 4}, {"steps", 10}}},
            {"methods", {{"none", "none"}, {"cads", "cads:scale=0.15"}, {"gass", "gass:strength=0.3"}}}}},
          {"sd3m",
           {{"model", "folder|with`marks`"},
            {"fingerprint", "ffeeddccbbaa99887766554433221100"},
            {"settings", {{"images", 4}, {"steps", 10}}},
            {"methods", {{"none", "none"}, {"cads", "cads:scale=0.1"}, {"gass", "gass:strength=0.3"}}}}}}},
        {"encoders",
         {{"vendi", {{"encoder", "mini-clip"}, {"weights", "0123456789abcdef"}}},
          {"clip_score", {{"encoder", "mini-clip"}, {"weights", "0123456789abcdef"}}}}},
    };
    results.sheets = {sheet("sd21", 0, 40), sheet("sd3m", 1, 200)};
    return results;
}

}  // namespace gass::eval
