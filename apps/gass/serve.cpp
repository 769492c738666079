#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "core/text.h"
#include "engine.h"
#include "engine/request.h"
#include "io/file.h"
#include "server/options.h"

namespace gass::cli {
namespace {

/// Seconds of "90m", "12h", "7d" or "0".
double seconds_of(std::string_view text) {
    double unit = 1;
    std::string_view number = text;
    for (const auto& [letter, seconds] : {std::pair{'s', 1.0}, {'m', 60.0}, {'h', 3600.0}, {'d', 86400.0}}) {
        if (!number.empty() && number.back() == letter) {
            unit = seconds;
            number.remove_suffix(1);
            break;
        }
    }
    const auto value = parse_number<double>(number);
    if (!value || !(*value >= 0) || *value > 1e6)
        fail(ErrorCode::usage, "--keep", "expected a time, 90m, 12h or 7d for instance; got {}",
             in_quotes(text));
    return *value * unit;
}

/// "0,1" are GPUs.
std::vector<std::string> devices_of(const std::string& list, const std::string& device) {
    if (list.empty()) return {device};
    std::vector<std::string> devices;
    for (const std::string_view name : split(list, ',')) {
        const bool is_number = parse_number<unsigned>(name).has_value();
        if (name.empty())
            fail(ErrorCode::usage, "--devices", "expected devices, 0,1 for instance; got {}",
                 in_quotes(list));
        devices.push_back((is_number ? "cuda:" : "") + std::string(name));
    }
    return devices;
}

std::vector<std::string> keys_of(const ServerOptions& options) {
    std::vector<std::string> keys = options.keys;
    if (!options.key_file.empty()) {
        const std::string text = read_text_file(options.key_file);
        for (std::string_view line : split(text, '\n')) {
            while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
            if (!line.empty()) keys.emplace_back(line);
        }
        if (keys.empty()) fail(ErrorCode::usage, "--api-key-file", "it holds no key");
    }
    constexpr std::size_t kShortest = 8;
    for (const std::string& key : keys) {
        if (key.size() < kShortest)
            fail(ErrorCode::usage, "--api-key", "a key needs {} characters or more", kShortest);
    }
    return keys;
}

}  // namespace

int serve(CommandLine& line, const ServerOptions& options) {
    const Settings& settings = line.resolve_without_model();
    if (line.print_config()) return 0;
    // What a server does is worth a line, unless somebody asked for fewer.
    if (settings.origin("log_level") == Settings().origin("log_level")) log::set_level(log::Level::info);
    server::ServeOptions serving{.host = options.host,
                                 .port = options.port,
                                 .models = options.models,
                                 .devices = devices_of(options.devices, settings.text("device")),
                                 .engine = engine_options_from(settings),
                                 .output = options.output,
                                 .keys = keys_of(options),
                                 .no_key = options.no_key,
                                 .hosts = options.hosts,
                                 .cors_origins = options.cors_origins,
                                 .keep_seconds = seconds_of(options.keep),
                                 .job_seconds = options.job_timeout,
                                 .grace_seconds = options.grace,
                                 .queue = options.queue};
    serving.limits.images = options.most_images;
    serving.limits.side = options.longest_side;
    serving.limits.steps = options.most_steps;
    // A model that the environment or a file names is the default here, too.
    if (serving.models.empty() && settings.origin("model") != Settings().origin("model"))
        serving.models = {settings.text("model")};
    return server::serve(serving);
}

}  // namespace gass::cli
