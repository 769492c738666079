#pragma once

#include "command_line.h"

#include <gass/error.h>
#include <gass/measure.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace gass::cli {

/// An exception of a library as an error of ours: with LibTorch's, memory that ran out among them.
Error as_error(const std::exception& error);

// What needs LibTorch. Loading it takes a process 0.2 s, so the program `gass` does without: there these
// functions start `gass-engine`, the same program with LibTorch in it, with the same arguments.

struct ModelsOptions {
    std::vector<std::string> names;
    std::string variant;
    bool json = false;
};

/// Without names: all embedded models.
int verify_models(const CommandLine& line, const ModelsOptions& options);

struct GenerateOptions {
    std::optional<std::string> prompt;
    std::string prompt_file;
    std::optional<std::string> seeds;  // "1,2,3"
    std::optional<std::int64_t> variation_seed;
    std::optional<double> variation_strength;
    std::string target;                 // "vendi=x1.3"
    std::optional<std::string> like;    // a picture or set whose settings are taken
    std::optional<std::string> extend;  // a set that gets more images, which differ from its own
    std::optional<std::string> keep;    // "0,3,5": the ones of these that stay
    std::int64_t sets = 1;              // of each prompt
    bool memory = false;                // each keeps away from those before it
    std::optional<std::string> init_image;
    std::optional<double> denoise;
    bool varies = false;  // gass vary: of the picture that `like` and `init_image` name
    std::string output;
    std::string preview = "none";
    std::int64_t preview_interval = 5;
    std::string preview_path;
    bool disable_image_metadata = false;
    bool dry_run = false;
    std::string plan;  // a file that --dry-run --json printed
    bool json = false;
};

int generate_images(CommandLine& line, const GenerateOptions& options);

struct ReproduceOptions {
    std::string file;
    std::string model;   // in place of the recorded one
    std::string device;  // likewise
    std::string dtype;   // likewise
    std::string guide;   // likewise
    std::string method;  // likewise: another method gives the group's twin
    std::string output;
    bool json = false;
};

int reproduce_image(const CommandLine& line, const ReproduceOptions& options);

struct CompareOptions {
    std::optional<std::string> prompt;
    std::string prompt_file;
    std::optional<std::string> methods;  // none: the usual ones
    std::string grid;                    // "strength=0.25,0.5"
    std::optional<std::string> seeds;
    std::string output;
    bool dry_run = false;
    bool json = false;
};

int compare_methods(CommandLine& line, const CompareOptions& options);

struct EvalOptions {
    std::string suite;  // a file, or the name of one that comes with gass
    std::string prompt_file;
    std::int64_t limit = 0;  // prompts; 0: all
    std::string reference;
    std::vector<std::string> models;  // "sd21=FOLDER"
    std::string only_models;          // "a,b"; empty: all
    std::string only_methods;
    std::string output;
    std::string shard;  // "0/8"; empty: all of it
    bool resume = false;
    bool report_only = false;
    bool dry_run = false;
    std::vector<std::string> assertions;
    bool json = false;
};

int evaluate_suite(CommandLine& line, const EvalOptions& options);

struct CalibrateOptions {
    std::optional<std::string> prompt;
    std::string prompt_file;
    std::int64_t repeats = 1;
    double fall = 0.016;
    std::string output;  // empty: the model's own gass.json
};

int calibrate_model(CommandLine& line, const CalibrateOptions& options);

/// Whose pictures gass measure and gass features look at, and by which networks.
struct PictureOptions {
    std::vector<std::string> images;  // files, folders, patterns, lists
    std::vector<std::string> encoders;
    std::int64_t resize_first = 0;
    bool no_cache = false;
};

struct MeasureOptions {
    PictureOptions pictures;
    MeasureRequest request;              // the rest of what is measured
    std::optional<std::string> metrics;  // "vendi,spp"
    std::string orders = "1";
    bool per_image = false;
    bool json = false;
    bool csv = false;
};

int measure_images(CommandLine& line, const MeasureOptions& options);

struct FeaturesOptions {
    PictureOptions pictures;
    std::string output;
    bool json = false;
};

int write_image_features(CommandLine& line, const FeaturesOptions& options);

struct ServerOptions {
    std::string host = "127.0.0.1";
    std::uint16_t port = 7860;
    std::vector<std::string> models;
    std::string devices;  // "0,1"
    std::string output = "gass-serve";
    std::vector<std::string> keys;
    std::string key_file;
    bool no_key = false;
    std::vector<std::string> hosts;
    std::vector<std::string> cors_origins;
    std::string keep = "7d";
    double job_timeout = 3600;
    double grace = 30;
    std::size_t queue = 256;
    std::int64_t most_images = 64;
    std::int64_t longest_side = 2048;
    std::int64_t most_steps = 200;
};

int serve(CommandLine& line, const ServerOptions& options);

struct MethodsOptions {
    std::string name;  // empty: all
    bool json = false;
};

int show_methods(const CommandLine& line, const MethodsOptions& options);

}  // namespace gass::cli
