#include "cache/feature_cache.h"
#include "command_line.h"
#include "core/wording.h"
#include "output.h"

#include <fmt/format.h>

#include <memory>

namespace gass::cli {
namespace {

int show_stats(bool json) {
    FeatureCache cache(FeatureCache::default_path());
    const FeatureCache::Stats stats = cache.stats();
    if (json) {
        Json out{{"path", FeatureCache::default_path().string()},
                 {"entries", stats.entries},
                 {"bytes", stats.bytes_on_disk},
                 {"encoders", Json::array()}};
        for (const auto& encoder : stats.encoders)
            out["encoders"].push_back({{"encoder", encoder.encoder},
                                       {"preprocessing", encoder.preprocessing},
                                       {"entries", encoder.entries}});
        write_json("cache/1", out);
        return 0;
    }
    std::string out = fmt::format("{}: features of {}, {}\n", FeatureCache::default_path().string(),
                                  counted(stats.entries, "picture"), human_bytes(stats.bytes_on_disk));
    if (!stats.encoders.empty()) {
        Table table({"entries", "encoder", "preprocessing"});
        for (const auto& encoder : stats.encoders)
            table.add({std::to_string(encoder.entries), encoder.encoder, encoder.preprocessing});
        out += "\n" + table.text();
    }
    write_stdout(out);
    return 0;
}

int clear() {
    FeatureCache cache(FeatureCache::default_path());
    write_stdout(fmt::format("{}: {} removed\n", FeatureCache::default_path().string(),
                             counted(cache.clear(), "entry", "entries")));
    return 0;
}

}  // namespace

void add_cache_command(CLI::App& app, CommandLine& line) {
    CLI::App* command = app.add_subcommand("cache", "What is kept of pictures that were measured before");
    command->require_subcommand(1);
    command->footer("");
    const auto json = std::make_shared<bool>(false);
    CLI::App* stats = add_command(*command, line, "stats", "How much it holds, and of which networks",
                                  [json] { return show_stats(*json); });
    stats->add_flag("--json", *json, "print it as JSON");
    add_command(*command, line, "clear", "Empty it", clear);
}

}  // namespace gass::cli
