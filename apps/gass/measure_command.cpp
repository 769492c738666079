#include "engine.h"
#include "measure/metric/metric.h"
#include "measure/metric/request.h"
#include "picture_flags.h"

#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gass::cli {
namespace {

/// The range is told when it is left; in the help it would only be in the way.
CLI::Validator in_range(const AllowedRange& allowed) {
    return CLI::Range(allowed.least, allowed.most).description("");
}

/// The list of metrics below the flags.
std::string footer() {
    std::string text = "\nMetrics:\n";
    std::vector<std::string_view> of_all;
    for (const MetricSpec& spec : metric_specs()) {
        text += fmt::format("  {:<17}{}\n", spec.name, spec.help);
        if (spec.is_of_all && !spec.needs_clean) of_all.push_back(spec.name);
    }
    text += fmt::format("  {:<17}{}\n", "prdc", "precision, recall, density and coverage");
    const std::string_view last = of_all.back();
    of_all.pop_back();
    text += fmt::format(
        "\nEach is a mean over groups (folders, prompts), except {} and {}, which take all images at once.\n",
        fmt::join(of_all, ", "), last);
    return text +
           "Intervals are 95 % bootstrap intervals: over groups, or over images if there is one "
           "group.\n"
           "Exit status 5: some files could not be read, or some metrics not be computed; the rest is there.";
}

}  // namespace

void add_measure_command(CLI::App& app, CommandLine& line) {
    const auto options = std::make_shared<MeasureOptions>();
    CLI::App* command =
        add_command(app, line, "measure", "How far images differ, match their prompt, and resemble others",
                    [options, &line] { return measure_images(line, *options); });
    add_picture_flags(*command, line, options->pictures);
    MeasureRequest& request = options->request;
    command->add_option("-p,--prompt", request.prompt,
                        "what the images show; {class} stands for their folder's name");
    command
        ->add_option("--prompt-file", request.prompt_file,
                     "lines with a file's name, a tab and its prompt; or one prompt for each image")
        ->type_name("FILE");
    command->add_flag("--pooled", request.pooled, "take all images as one group");
    command
        ->add_option("--metrics", options->metrics,
                     "metrics, separated by commas; see below (default: all that can be measured)")
        ->type_name("LIST");
    command
        ->add_option("--reference", request.reference,
                     "images to compare with; or their features (.npy, .safetensors) or statistics (.npz)")
        ->type_name("DIR|FILE");
    command
        ->add_option("--features", request.features,
                     "measure these features (.npy, .safetensors) in place of images")
        ->type_name("FILE");
    command->add_option("--reference-features", request.reference_features, "features to compare with")
        ->type_name("FILE");
    command
        ->add_option("--text-features", request.text_features,
                     "the prompt's features, or one row for each of --features")
        ->type_name("FILE");
    command->add_option("--order", options->orders, "orders of vendi, separated by commas: 1, 0.5, inf")
        ->type_name("LIST")
        ->capture_default_str();
    command->add_option("--k", request.k, "neighbours of precision, recall, density and coverage")
        ->check(in_range(kAllowedNeighbours))
        ->type_name("NUMBER")
        ->capture_default_str();
    command->add_flag("--inclusive", request.inclusive,
                      "count a neighbour at just the radius (<=, torch-fidelity); the default is < (prdc)");
    command->add_option("--draws", request.draws, "draws of Algorithm 1's axis that spp is the mean of")
        ->check(in_range(kAllowedDraws))
        ->type_name("NUMBER")
        ->capture_default_str();
    command
        ->add_option("--metric-seed", request.metric_seed, "seed of those draws, of scendi and of intervals")
        ->check(in_range(kAllowedMetricSeeds))
        ->type_name("NUMBER")
        ->capture_default_str();
    command->add_option("--kid-subsets", request.kid_subsets, "subsets that kid is the mean of")
        ->check(in_range(kAllowedKidSubsets))
        ->type_name("NUMBER")
        ->capture_default_str();
    command->add_option("--kid-subset-size", request.kid_subset_size, "images in each subset")
        ->check(in_range(kAllowedKidSubsetSizes))
        ->type_name("NUMBER")
        ->capture_default_str();
    command
        ->add_option("--inception-splits", request.inception_splits,
                     "parts of the images that inception_score is the mean of")
        ->check(in_range(kAllowedInceptionSplits))
        ->type_name("NUMBER")
        ->capture_default_str();
    command
        ->add_option("--bootstrap", request.bootstrap,
                     "resamples for the intervals; 0 leaves the intervals out")
        ->check(in_range(kAllowedResamples))
        ->type_name("NUMBER")
        ->capture_default_str();
    command->add_flag("--per-image", options->per_image,
                      "also show what each image has, its clip_score for instance (--json always does)");
    command->add_flag("--json", options->json, "print the results as JSON");
    command->add_flag("--csv", options->csv, "print the results as CSV");
    command->footer(footer());
}

}  // namespace gass::cli
