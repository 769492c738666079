#include "engine.h"

#include <memory>

namespace gass::cli {
namespace {

void add_reach_options(CLI::App& command, ServerOptions& options) {
    command
        .add_option("--host", options.host, "address to listen on; others than this machine's own need a key")
        ->type_name("ADDRESS")
        ->capture_default_str();
    command.add_option("--port", options.port, "port to listen on; 0 is any that is free")
        ->type_name("NUMBER")
        ->capture_default_str();
    const auto add_list = [&](const std::string& name, std::vector<std::string>& list,
                              const std::string& help, const std::string& type) {
        command.add_option(name, list, help)
            ->type_name(type)
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    };
    add_list("--api-key", options.keys, "key that clients must send; may be given several times", "KEY");
    command
        .add_option("--api-key-file", options.key_file,
                    "file with a key in each line, which no list of processes shows")
        ->type_name("FILE");
    command.add_flag("--no-api-key", options.no_key,
                     "whoever reaches the server may use it, from other machines, too");
    add_list("--allow-host", options.hosts, "name that the server is reached by, behind a proxy for instance",
             "NAME");
    add_list("--cors-origin", options.cors_origins, "origin whose pages may use the API (default: none)",
             "ORIGIN");
    add_list("-m,--model", options.models,
             "model that may be asked for; may be given several times, the first is the default (default: "
             "all that are here)",
             "TEXT");
}

void add_work_options(CLI::App& command, ServerOptions& options) {
    command
        .add_option("--devices", options.devices,
                    "devices that work at the same time, 0,1 or cuda:0,cpu (default: as --device)")
        ->type_name("LIST");
    command.add_option("-o,--output", options.output, "folder for jobs and their sets")
        ->type_name("DIR")
        ->capture_default_str();
    command.add_option("--keep", options.keep, "how long finished sets stay: 90m, 12h, 7d; 0 is for ever")
        ->type_name("TIME")
        ->capture_default_str();
    command.add_option("--queue", options.queue, "jobs that may wait; more are refused")
        ->type_name("NUMBER")
        ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}))
        ->capture_default_str();
    const auto add_limit = [&](const std::string& name, std::int64_t& most, const std::string& help,
                               std::int64_t ceiling) {
        command.add_option(name, most, help)
            ->type_name("NUMBER")
            ->check(CLI::Range(std::int64_t{1}, ceiling))
            ->capture_default_str();
    };
    add_limit("--max-images", options.most_images, "images that a request may ask for", 1024);
    add_limit("--max-side", options.longest_side, "pixels that an image may be wide or high", 16384);
    add_limit("--max-steps", options.most_steps, "steps that a request may ask for", 1000);
    command.add_option("--job-timeout", options.job_timeout, "seconds before a set is given up; 0 is never")
        ->type_name("NUMBER")
        ->check(CLI::Range(0.0, 1e7))
        ->capture_default_str();
    command
        .add_option("--grace", options.grace,
                    "seconds that a set may take to be finished when the server is stopped; then the next "
                    "server makes it")
        ->type_name("NUMBER")
        ->check(CLI::Range(0.0, 1e7))
        ->capture_default_str();
}

}  // namespace

void add_serve_command(CLI::App& app, CommandLine& line) {
    const auto options = std::make_shared<ServerOptions>();
    CLI::App* command = add_command(app, line, "serve", "Serve a page to make sets on, and an API",
                                    [options, &line] { return serve(line, *options); });
    add_reach_options(*command, *options);
    add_work_options(*command, *options);
    line.add_settings(*command, {"device", "dtype", "threads", "max_vram", "offload_to_cpu", "vae_tiling",
                                 "vae_slicing", "no_t5", "variant", "guide", "log_level"});
}

}  // namespace gass::cli
