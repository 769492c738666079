#include "picture_flags.h"

namespace gass::cli {

void add_picture_flags(CLI::App& command, CommandLine& line, PictureOptions& options) {
    command
        .add_option("images", options.images,
                    "pictures: files, patterns, folders (a folder in it is a class), sets of gass, or lists "
                    "of files and prompts (.jsonl, .json, .csv, .tsv)")
        ->type_name("IMAGES");
    command
        .add_option(
            "--encoder", options.encoders,
            "networks that look at the pictures, separated by commas: a CLIP, DINOv2, SSCD or Inception "
            "by name or folder, or pixels; an ImageReward for image_reward, an LPIPS for lpips (default: "
            "mini-clip, "
            "inception-fid for fid, kid and inception_score, image-reward, lpips)")
        ->delimiter(',')
        ->type_name("LIST");
    command
        .add_option("--resize-first", options.resize_first,
                    "first scale every picture to a square of this many pixels, by Lanczos; the paper's "
                    "evaluation: 256")
        ->check(CLI::Range(1, 4096).description(""))
        ->type_name("NUMBER");
    command.add_flag("--no-cache", options.no_cache,
                     "neither read features from the cache nor keep them there");
    line.add_settings(command, {"device", "max_batch", "threads", "progress", "log_level"});
}

}  // namespace gass::cli
