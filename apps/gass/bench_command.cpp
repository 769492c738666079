#include "child_process.h"
#include "command_line.h"
#include "core/fail.h"
#include "core/quote.h"
#include "guidance/text/method_list.h"
#include "io/model_lookup.h"
#include "output.h"
#include "progress.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

namespace gass::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> kParts{"load",   "text",  "denoise", "method",
                                                 "decode", "write", "total"};

struct BenchOptions {
    std::size_t rounds = 3;
    std::string reference;
    std::string methods;  // "none,gass": measured in turn, in place of a reference
    std::string program;
    std::vector<std::string> arguments;
    bool json = false;
};

/// What one run took.
struct Run {
    double process_seconds = 0;
    std::uint64_t peak_bytes = 0;
    Json timings = Json::object();  // seconds by part, as far as the program tells
    double steps = 0;               // of all groups
};

/// A folder that goes away with everything in it.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = (fs::temp_directory_path() / "gass-bench-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) fail(ErrorCode::io, name, "cannot be made");
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

ChildResult run_to_success(std::vector<std::string> command, const fs::path& folder, std::string_view shown) {
    ChildResult result = run_child(std::move(command), folder);
    if (result.status != 0) {
        fail(result.status == exit_status(ErrorCode::usage) ? ErrorCode::usage : ErrorCode::failure, shown,
             "ended with status {}:\n{}", result.status, result.errors);
    }
    return result;
}

/// Adds the numbers of a "timings" object to those of a run.
void add_timings(Run& run, const Json& holder) {
    if (!holder.is_object() || !holder.contains("timings") || !holder["timings"].is_object()) return;
    const Json& timings = holder["timings"];
    for (const std::string_view part : kParts) {
        const auto it = timings.find(part);
        if (it == timings.end() || !it->is_number()) continue;
        run.timings[part] = run.timings.value(part, 0.0) + it->get<double>();
    }
}

Run run_gass(const BenchOptions& options, const fs::path& folder, const std::string& method = {}) {
    const fs::path images = folder / "images";
    std::vector<std::string> command{options.program, "generate"};
    command.insert(command.end(), options.arguments.begin(), options.arguments.end());
    if (!method.empty()) command.insert(command.end(), {"--method", method});
    command.insert(command.end(), {"-o", images.string(), "--json", "--progress", "none"});
    const ChildResult result = run_to_success(std::move(command), folder, "gass generate");
    fs::remove_all(images);  // so that every run writes new files
    Run run{result.seconds, result.peak_bytes, Json::object(), 0};
    const Json printed = parse_json(result.output, "gass generate --json");
    if (printed.is_object() && printed.contains("groups")) {
        for (const Json& group : printed["groups"]) {
            add_timings(run, group);
            run.steps += group.value("settings", Json::object()).value("steps", 0.0);
        }
    }
    if (run.timings.empty()) fail(ErrorCode::failure, "gass generate", "it printed no timings");
    return run;
}

/// The last line of a text that is not empty.
std::string_view last_line(std::string_view text) {
    text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    return text.substr(text.rfind('\n') + 1);
}

Run run_reference(const BenchOptions& options, const fs::path& folder) {
    const ChildResult result = run_to_success({"/bin/sh", "-c", options.reference}, folder, "the reference");
    Run run{result.seconds, result.peak_bytes, Json::object(), 0};
    // It may be any program; what does not end in timings has none.
    add_timings(run, Json::parse(last_line(result.output), nullptr, false));
    return run;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The runs of one program.
class Measurements {
  public:
    void add(Run run) { runs_.push_back(std::move(run)); }
    bool empty() const { return runs_.empty(); }

    std::vector<double> process_seconds() const {
        std::vector<double> values;
        for (const Run& run : runs_) values.push_back(run.process_seconds);
        return values;
    }
    std::vector<double> peak_bytes() const {
        std::vector<double> values;
        for (const Run& run : runs_) values.push_back(static_cast<double>(run.peak_bytes));
        return values;
    }
    /// Of the runs that tell it.
    std::vector<double> seconds(std::string_view part) const {
        std::vector<double> values;
        for (const Run& run : runs_) {
            if (run.timings.contains(part)) values.push_back(run.timings[part].get<double>());
        }
        return values;
    }

    /// Of denoising, the method's own part included, for each step.
    std::vector<double> seconds_per_step() const {
        std::vector<double> values;
        for (const Run& run : runs_)
            values.push_back(run.timings.value("denoise", 0.0) / std::max(run.steps, 1.0));
        return values;
    }

    Json to_json() const {
        Json runs = Json::array();
        for (const Run& run : runs_) {
            runs.push_back(
                {{"process", run.process_seconds}, {"peak_bytes", run.peak_bytes}, {"timings", run.timings}});
        }
        const auto least = [](const std::vector<double>& values) {
            return *std::min_element(values.begin(), values.end());
        };
        return {{"median", summary(median)}, {"least", summary(least)}, {"runs", std::move(runs)}};
    }

  private:
    template <class Function>
    Json summary(Function of) const {
        Json timings = Json::object();
        for (const std::string_view part : kParts) {
            if (const auto values = seconds(part); !values.empty()) timings[part] = of(values);
        }
        return {{"process", of(process_seconds())}, {"peak_bytes", of(peak_bytes())}, {"timings", timings}};
    }

    std::vector<Run> runs_;
};

std::string shown_seconds(double value) {
    return fmt::format("{:.3f}", value);
}

std::string shown_bytes(double value) {
    return human_bytes(static_cast<std::uint64_t>(value));
}

std::string to_text(const Measurements& ours, const Measurements& reference) {
    Table table(reference.empty() ? std::vector<std::string>{"part", "gass s"}
                                  : std::vector<std::string>{"part", "gass s", "reference s", "ratio"});
    const auto add = [&](std::string name, const std::vector<double>& our_values,
                         const std::vector<double>& their_values, auto shown) {
        const auto middle = [&](const auto& values) {
            return values.empty() ? std::string("-") : shown(median(values));
        };
        std::vector<std::string> row{std::move(name), middle(our_values)};
        if (!reference.empty()) {
            const bool comparable = !our_values.empty() && !their_values.empty() && median(their_values) > 0;
            row.push_back(middle(their_values));
            row.push_back(comparable ? fmt::format("{:.2f}", median(our_values) / median(their_values))
                                     : "-");
        }
        table.add(std::move(row));
    };
    add("whole process", ours.process_seconds(), reference.process_seconds(), shown_seconds);
    for (const std::string_view part : kParts) {
        const auto our_values = ours.seconds(part);
        const auto their_values = reference.seconds(part);
        if (our_values.empty() && their_values.empty()) continue;
        add(std::string(part), our_values, their_values, shown_seconds);
    }
    add("peak memory", ours.peak_bytes(), reference.peak_bytes(), shown_bytes);
    return table.text();
}

/// What each method adds to a step, beside the first of them.
std::string to_text(const std::vector<std::string>& methods, const std::vector<Measurements>& measured) {
    Table table({"method", "whole s", "ratio", "step ms", "added ms", "its own s", "peak memory"});
    const double whole = median(measured.front().process_seconds());
    const double step = median(measured.front().seconds_per_step());
    for (std::size_t i = 0; i < methods.size(); ++i) {
        const double own_whole = median(measured[i].process_seconds());
        const double own_step = median(measured[i].seconds_per_step());
        const std::vector<double> own = measured[i].seconds("method");
        table.add({methods[i], shown_seconds(own_whole), fmt::format("{:.2f}", own_whole / whole),
                   fmt::format("{:.1f}", 1000 * own_step), fmt::format("{:+.1f}", 1000 * (own_step - step)),
                   own.empty() ? "-" : shown_seconds(median(own)),
                   shown_bytes(median(measured[i].peak_bytes()))});
    }
    return table.text();
}

int bench_methods(const BenchOptions& options) {
    const std::vector<std::string> methods = split_method_list(options.methods);
    const TemporaryFolder folder;
    std::vector<Measurements> measured(methods.size());
    Progress progress(ProgressMode::automatic, "bench");
    progress.start("run", methods.size() * (options.rounds + 1));
    for (std::size_t round = 0; round <= options.rounds; ++round) {
        for (std::size_t i = 0; i < methods.size(); ++i) {
            Run run = run_gass(options, folder.path(), methods[i]);
            if (round > 0) measured[i].add(std::move(run));
            progress.advance(round * methods.size() + i + 1);
        }
    }
    progress.finish();
    if (!options.json) {
        write_stdout(to_text(methods, measured));
        return 0;
    }
    Json json{{"rounds", options.rounds}, {"arguments", options.arguments}, {"methods", Json::array()}};
    for (std::size_t i = 0; i < methods.size(); ++i) {
        Json one = measured[i].to_json();
        one["method"] = methods[i];
        one["seconds_per_step"] = median(measured[i].seconds_per_step());
        json["methods"].push_back(std::move(one));
    }
    write_json("bench-methods/1", json);
    return 0;
}

int bench(BenchOptions options) {
    if (options.program.empty()) options.program = (program_folder() / "gass").string();
    if (!options.methods.empty()) {
        if (!options.reference.empty())
            fail(ErrorCode::usage, "--methods",
                 "methods are measured beside each other, not beside a reference");
        return bench_methods(options);
    }
    const TemporaryFolder folder;
    Measurements ours;
    Measurements reference;
    {
        Progress progress(ProgressMode::automatic, "bench");
        const std::size_t sides = options.reference.empty() ? 1 : 2;
        progress.start("run", sides * (options.rounds + 1));
        // In turn, so that a machine that grows slower or faster does so for both. The first round warms up.
        for (std::size_t round = 0; round <= options.rounds; ++round) {
            Run run = run_gass(options, folder.path());
            if (round > 0) ours.add(std::move(run));
            progress.advance(sides * round + 1);
            if (options.reference.empty()) continue;
            run = run_reference(options, folder.path());
            if (round > 0) reference.add(std::move(run));
            progress.advance(sides * round + 2);
        }
        progress.finish();
    }
    if (!options.json) {
        write_stdout(to_text(ours, reference));
        return 0;
    }
    Json json{{"rounds", options.rounds}, {"arguments", options.arguments}, {"gass", ours.to_json()}};
    if (!reference.empty()) {
        json["reference_command"] = options.reference;
        json["reference"] = reference.to_json();
    }
    write_json("bench/1", json);
    return 0;
}

}  // namespace

void add_bench_command(CLI::App& app, CommandLine& line) {
    const auto options = std::make_shared<BenchOptions>();
    CLI::App* command =
        add_command(app, line, "bench", "Time the parts of gass generate, beside a reference program",
                    [options] { return bench(*options); });
    command->add_option("--rounds", options->rounds, "measured runs of each, after one to warm up")
        ->check(CLI::Range(1, 1000).description(""))
        ->type_name("NUMBER")
        ->capture_default_str();
    command
        ->add_option("--reference", options->reference,
                     "shell command to measure beside it, in turn; if the last line that it prints is "
                     "{\"timings\": {…}}, part by part")
        ->type_name("COMMAND");
    command
        ->add_option("--methods", options->methods,
                     "methods to measure in turn, separated by commas: what each adds to a step")
        ->type_name("LIST");
    command->add_option("--program", options->program, "the gass to measure (default: this one)")
        ->type_name("FILE");
    command->add_flag("--json", options->json, "print all runs as JSON");
    command->add_option("ARGUMENTS", options->arguments, "after --: what to give to gass generate")
        ->required()
        ->type_name("");
}

}  // namespace gass::cli
