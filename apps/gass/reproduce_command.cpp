#include "engine.h"

#include <memory>

namespace gass::cli {

void add_reproduce_command(CLI::App& app, CommandLine& line) {
    const auto options = std::make_shared<ReproduceOptions>();
    CLI::App* command =
        add_command(app, line, "reproduce", "Make the set of a picture or folder again and compare the bytes",
                    [options, &line] { return reproduce_image(line, *options); });
    command->add_option("FILE", options->file, "a picture that gass made, or the folder of a set")
        ->required()
        ->type_name("");
    command->add_option("-m,--model", options->model, "the model, if it lies elsewhere now");
    command->add_option("--device", options->device, "another device than the recorded one");
    command->add_option("--dtype", options->dtype, "another number type than the recorded one");
    command->add_option("--method", options->method,
                        "another method on the same seeds: none gives the set's plain twin");
    command->add_option("--guide", options->guide, "another CLIP model for it to see through");
    command->add_option("-o,--output", options->output, "folder to write the new set to")->type_name("DIR");
    command->add_flag("--json", options->json, "print the comparison as JSON");
}

}  // namespace gass::cli
