#include "engine.h"

#include <memory>

namespace gass::cli {

void add_compare_command(CLI::App& app, CommandLine& line) {
    const auto options = std::make_shared<CompareOptions>();
    CLI::App* command =
        add_command(app, line, "compare", "The same prompt and seeds under several methods, side by side",
                    [options, &line] { return compare_methods(line, *options); });
    command->add_option("-p,--prompt", options->prompt, "what the images show");
    command
        ->add_option("--prompt-file", options->prompt_file,
                     "one prompt per line; # begins a comment; - reads stdin")
        ->type_name("FILE");
    command
        ->add_option("--methods", options->methods,
                     "methods, separated by commas, with their parameters: none,gass:strength=0.3,cads+gass "
                     "(default: none,interval,cads,pg,spell,gass)")
        ->type_name("LIST");
    command
        ->add_option("--grid", options->grid,
                     "values of one method's parameter, a row for each: strength=0.25,0.5,1")
        ->type_name("KEY=LIST");
    command
        ->add_option("-o,--output", options->output, "folder for all of it (default: a new one in gass-out)")
        ->type_name("DIR");
    line.add_settings(*command,
                      {"model", "images", "seed", "negative_prompt", "steps", "cfg_scale", "width", "height",
                       "shield", "guide", "format", "quality"},
                      kSamplingSettings);
    command->add_option("--seeds", options->seeds, "the images' seeds: 7,11,13 or 1-4,9")->type_name("LIST");
    command->add_flag("--dry-run", options->dry_run,
                      "check everything, say what would be made and what it takes, and stop");
    command->add_flag("--json", options->json, "print the comparison as JSON");
}

}  // namespace gass::cli
