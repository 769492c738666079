#include "engine.h"
#include "measure/metric.h"
#include "picture_flags.h"

#include <fmt/format.h>

#include <memory>

namespace gass::cli {
namespace {

/// The list of metrics below the flags.
std::string footer() {
    std::string text = "\nMetrics:\n";
    for (const MetricSpec& spec : metric_specs()) text += fmt::format("  {:<14}{}\n", spec.name, spec.help);
    text += fmt::format("  {:<14}{}\n", "prdc", "precision, recall, density and coverage");
    return text +
           "\nEach is a mean over groups (folders, prompts), except fid, kid, irs and scendi, which take all "
           "images at "
           "once.\nIntervals are 95 % bootstrap intervals: over groups, or over images if there is one "
           "group.\n"
           "Exit status 5: some files could not be read, or some metric not be computed; the rest is there.";
}

}  // namespace

void add_measure_command(CLI::App& app, CommandLine& line) {
    const auto options = std::make_shared<MeasureOptions>();
    CLI::App* command =
        add_command(app, line, "measure", "How far images differ, match their prompt, and resemble others",
                    [options, &line] { return measure_images(line, *options); });
    add_picture_flags(*command, line, options->pictures);
    command->add_option("-p,--prompt", options->pictures.prompt,
                        "what the images show; {class} stands for their folder's name");
    command
        ->add_option("--prompt-file", options->pictures.prompt_file,
                     "lines of a file's name, a tab and its prompt; or one prompt for each image")
        ->type_name("FILE");
    command->add_flag("--pooled", options->pictures.pooled, "take all images as one group");
    command
        ->add_option("--metrics", options->metrics,
                     "separated by commas; see below (default: what can be measured)")
        ->type_name("LIST");
    command
        ->add_option("--reference", options->reference,
                     "images to compare with; or their features (.npy, .safetensors) or statistics (.npz)")
        ->type_name("DIR|FILE");
    command
        ->add_option("--features", options->features,
                     "measure these features (.npy, .safetensors) in place of images")
        ->type_name("FILE");
    command->add_option("--reference-features", options->reference_features, "features to compare with")
        ->type_name("FILE");
    command
        ->add_option("--text-features", options->text_features,
                     "the prompt's features, or one row for each of --features")
        ->type_name("FILE");
    command->add_option("--order", options->orders, "orders of vendi, separated by commas: 1, 0.5, inf")
        ->type_name("LIST")
        ->capture_default_str();
    command->add_option("--k", options->k, "neighbours of precision, recall, density and coverage")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
        ->capture_default_str();
    command->add_flag("--inclusive", options->inclusive,
                      "count a neighbour at just the radius (<=, torch-fidelity); the default is < (prdc)");
    command->add_option("--draws", options->draws, "draws of Algorithm 1's axis that spp is the mean of")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    command
        ->add_option("--metric-seed", options->metric_seed, "seed of those draws, of scendi and of intervals")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{4294967295}))
        ->capture_default_str();
    command->add_option("--kid-subsets", options->kid_subsets, "subsets that kid is the mean of")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    command->add_option("--kid-subset-size", options->kid_subset_size, "images in each")
        ->check(CLI::Range(2, 10'000))
        ->capture_default_str();
    command->add_option("--bootstrap", options->bootstrap, "resamples for intervals; 0 leaves them out")
        ->check(CLI::Range(0, 1'000'000))
        ->capture_default_str();
    command->add_flag("--json", options->json, "print the results as JSON");
    command->add_flag("--csv", options->csv, "print the results as CSV");
    command->footer(footer());
}

}  // namespace gass::cli
