#include "engine.h"

#include <memory>

namespace gass::cli {

namespace {

/// What generate and vary have in common.
void add_common_options(CLI::App& app, CommandLine& line, GenerateOptions* options) {
    CLI::App* command = &app;
    command
        ->add_option("-o,--output", options->output, "folder for the images (default: a new one in gass-out)")
        ->type_name("DIR");
    line.add_settings(*command,
                      {"model", "images", "seed", "negative_prompt", "steps", "cfg_scale", "width", "height",
                       "method", "strength", "dep", "ind", "vary", "shield", "guide", "format", "quality"},
                      kSamplingSettings);
    command
        ->add_option("--seeds", options->seeds,
                     "seeds, 7,11,13 or 1-4,9: the images', or with -n those to choose from")
        ->type_name("LIST");
    command->add_option("--preview", options->preview, "show the set while it is being made")
        ->type_name("none|vae")
        ->capture_default_str();
    command->add_option("--preview-interval", options->preview_interval, "steps between previews")
        ->type_name("NUMBER")
        ->capture_default_str();
    command
        ->add_option("--preview-path", options->preview_path, "PNG to show it in (default: DIR/preview.png)")
        ->type_name("FILE");
    command->add_flag("--disable-image-metadata", options->disable_image_metadata,
                      "write no prompt or settings into the images");
    command->add_flag(
        "--dry-run", options->dry_run,
        "check everything, say what would be made and what it takes, and stop; with --json, print a plan");
    command->add_flag("--json", options->json, "print what was made as JSON");
}

constexpr const char* kDenoise = "how much of the picture is made anew, above 0 to 1 (default: 0.6)";

}  // namespace

void add_generate_command(CLI::App& app, CommandLine& line) {
    const auto options = std::make_shared<GenerateOptions>();
    CLI::App* command = add_command(app, line, "generate", "Make a set of images from one prompt",
                                    [options, &line] { return generate_images(line, *options); });
    command->add_option("-p,--prompt", options->prompt,
                        "what the images show; {a|b} is a choice for each image");
    command
        ->add_option("--prompt-file", options->prompt_file,
                     "one prompt per line, a set of each; # begins a comment; - reads stdin")
        ->type_name("FILE");
    add_common_options(*command, line, options.get());
    command
        ->add_option("--target", options->target,
                     "finds the strength that gives this spread: spp=0.18, pairwise=0.4 or vendi=x1.3")
        ->type_name("METRIC=VALUE");
    command
        ->add_option(
            "--variation-seed", options->variation_seed,
            "make variations of the first seed's image: each starts part of the way to a seed, these "
            "count up from here")
        ->type_name("NUMBER");
    command
        ->add_option("--variation-strength", options->variation_strength,
                     "how far of that way, 0 to 1 (default: 0.5)")
        ->type_name("NUMBER");
    command
        ->add_option(
            "--like", options->like,
            "a picture or folder of gass: prompt, seeds and settings are its, but for the flags given")
        ->type_name("FILE");
    command
        ->add_option("--extend", options->extend,
                     "a set of gass that gets more images (-n), made as its own were and differing from them")
        ->type_name("SET");
    command
        ->add_option("--keep", options->keep,
                     "with --extend: these images of it stay, and the others are made again, 0,3,5 or 0-3")
        ->type_name("LIST");
    command->add_option("--sets", options->sets, "sets of each prompt, with seeds that go on (default: 1)")
        ->type_name("NUMBER");
    command->add_flag("--memory", options->memory,
                      "with --sets: each set keeps away from the prompt's sets before it");
    command->add_option("--init-image", options->init_image, "a picture to begin with")->type_name("FILE");
    command->add_option("--denoise", options->denoise, kDenoise)->type_name("NUMBER");
    command->add_option("--plan", options->plan, "make what this plan says; --dry-run --json prints one")
        ->type_name("FILE");
}

void add_vary_command(CLI::App& app, CommandLine& line) {
    const auto options = std::make_shared<GenerateOptions>();
    options->varies = true;
    CLI::App* command = add_command(app, line, "vary", "Make variations of one picture", [options, &line] {
        options->init_image = options->like;
        return generate_images(line, *options);
    });
    command
        ->add_option(
            "FILE", options->like,
            "a picture that gass made, whose settings are taken, but for the flags given; or any other")
        ->required();
    command->add_option("-p,--prompt", options->prompt,
                        "what the variations show (default: as the picture's)");
    command->add_option("--denoise", options->denoise, kDenoise)->type_name("NUMBER");
    add_common_options(*command, line, options.get());
    command->get_option("--method")->default_str("none");
}

}  // namespace gass::cli
