#include "engine.h"
#include "picture_flags.h"

#include <memory>

namespace gass::cli {

void add_features_command(CLI::App& app, CommandLine& line) {
    const auto options = std::make_shared<FeaturesOptions>();
    CLI::App* command =
        add_command(app, line, "features", "What a network sees in images, as numbers in a file",
                    [options, &line] { return write_image_features(line, *options); });
    add_picture_flags(*command, line, options->pictures);
    command
        ->add_option(
            "-o,--output", options->output,
            "FILE.npy or FILE.safetensors, a row for each image; FILE.npz, their mean and covariance for fid")
        ->required()
        ->type_name("FILE");
    command->add_flag("--json", options->json, "print what was written as JSON, with the file of each row");
}

}  // namespace gass::cli
