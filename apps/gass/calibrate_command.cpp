#include "engine.h"

#include <memory>

namespace gass::cli {

void add_calibrate_command(CLI::App& app, CommandLine& line) {
    const auto options = std::make_shared<CalibrateOptions>();
    CLI::App* command =
        add_command(app, line, "calibrate", "Measure a model, so that --strength spreads its sets evenly",
                    [options, &line] { return calibrate_model(line, *options); });
    command->add_option("-p,--prompt", options->prompt, "what the sets show");
    command
        ->add_option("--prompt-file", options->prompt_file,
                     "one prompt per line; # begins a comment; a dozen prompts or more are best")
        ->type_name("FILE");
    command->add_option("--repeats", options->repeats, "sets of each prompt")
        ->type_name("NUMBER")
        ->capture_default_str();
    command
        ->add_option("--fall", options->fall, "CLIPScore that strength 1 may cost, as the guide measures it")
        ->type_name("NUMBER")
        ->capture_default_str();
    command
        ->add_option("-o,--output", options->output,
                     "gass.json to write the dial into (default: the model's own)")
        ->type_name("FILE");
    line.add_settings(*command, {"model", "images", "seed", "steps", "cfg_scale", "width", "height", "guide",
                                 "max_sequence_length", "device", "dtype", "max_batch", "threads", "no_t5",
                                 "variant", "progress", "log_level"});
}

}  // namespace gass::cli
