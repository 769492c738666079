#include "engine.h"
#include "listings.h"

#include <memory>

namespace gass::cli {

void add_eval_command(CLI::App& app, CommandLine& line) {
    const auto options = std::make_shared<EvalOptions>();
    const auto lists = std::make_shared<bool>(false);
    CLI::App* command = add_command(
        app, line, "eval", "Models and methods over many prompts: the paper's tables, with intervals",
        [options, lists, &line] {
            return *lists ? show_suites(options->json) : evaluate_suite(line, *options);
        });
    command
        ->add_option(
            "suite", options->suite,
            "a suite that comes with gass (--list), or a JSON file; a run that goes on knows its own")
        ->type_name("SUITE");
    command->add_flag("--list", *lists, "show the suites that come with gass, as gass suites does");
    command
        ->add_option("--prompt-file", options->prompt_file,
                     "prompts in place of the suite's: .txt, .json, .csv")
        ->type_name("FILE");
    command->add_option("--limit", options->limit, "take only the first so many prompts")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{200'000}).description(""))
        ->type_name("NUMBER");
    command
        ->add_option("--reference", options->reference,
                     "real pictures in place of the suite's: a folder that holds one for each class")
        ->type_name("FOLDER");
    command
        ->add_option("--model", options->models,
                     "where a model of the suite is: sd21=FOLDER; may be repeated")
        ->type_name("ID=MODEL");
    command->add_option("--only-models", options->only_models, "only these of the suite's models: sd21,sd3m")
        ->type_name("LIST");
    command
        ->add_option("--only-methods", options->only_methods, "only these of the suite's methods: none,gass")
        ->type_name("LIST");
    command->add_option("-o,--output", options->output, "folder of the run (default: gass-out/eval-SUITE)")
        ->type_name("FOLDER");
    command->add_flag("--resume", options->resume,
                      "go on with the run in that folder, which knows suite and flags");
    command
        ->add_option(
            "--shard", options->shard,
            "make only this share of the groups, for job arrays: 0/8 to 7/8; a run without it gathers them")
        ->type_name("I/N");
    command->add_flag("--report-only", options->report_only, "make nothing, report what is there");
    command->add_flag("--dry-run", options->dry_run, "check everything, say what would be made, and stop");
    command
        ->add_option("--assert", options->assertions,
                     "a check on the results, \"gass.spp > none.spp\": status 6 if it fails; may be repeated")
        ->type_name("CHECK");
    command->add_flag("--json", options->json, "results, plan or list as JSON");
    line.add_settings(*command, {"images", "steps", "cfg_scale", "width", "height", "guide"},
                      kSamplingSettings);
}

}  // namespace gass::cli
