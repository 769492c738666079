#include "engine.h"

#include <memory>

namespace gass::cli {

void add_reproduce_command(CLI::App& app, CommandLine& line) {
    const auto options = std::make_shared<ReproduceOptions>();
    CLI::App* command = add_command(
        app, line, "reproduce",
        "Make a set of gass again, of which you give a picture or the folder, and compare the bytes",
        [options, &line] { return reproduce_image(line, *options); });
    command->add_option("FILE", options->file, "a picture that gass made, or the folder of a set")
        ->required();
    command->add_option("-m,--model", options->model,
                        "the model, if it lies elsewhere than when it was made");
    command->add_option("--device", options->device, "the device, if another one is to be used");
    command->add_option("--dtype", options->dtype, "the number type, if another one is to be used");
    command->add_option("--method", options->method,
                        "another method on the same seeds: none gives the independent twin");
    command->add_option("--guide", options->guide, "the CLIP model that it sees through, if another one");
    command->add_option("-o,--output", options->output, "folder to write the set to")->type_name("DIR");
    command->add_flag("--json", options->json, "print the comparison as JSON");
}

}  // namespace gass::cli
