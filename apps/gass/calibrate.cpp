#include "core/fail.h"
#include "engine.h"
#include "engine/calibration.h"
#include "engine/loaded_model.h"
#include "engine/request.h"
#include "generation_events.h"
#include "interrupt.h"
#include "io/file.h"
#include "output.h"
#include "prompts.h"

#include <filesystem>

namespace gass::cli {
namespace {

namespace fs = std::filesystem;

std::string table(const Calibration& calibration) {
    std::string out = "effort   Vendi   CLIPScore\n";
    for (const EffortMeasured& row : calibration.measured)
        out += fmt::format("{:6.2f}  {:6.3f}  {:9.4f}\n", row.effort, row.vendi, row.clip_score);
    out += "strength → effort:";
    for (const auto& [strength, effort] : calibration.points)
        out += fmt::format("  {} → {}", strength, effort);
    return out + "\n";
}

}  // namespace

int calibrate_model(CommandLine& line, const CalibrateOptions& options) {
    const Settings& settings = line.resolve();
    if (line.print_config()) return 0;
    CalibrationPlan plan{.prompts = {}, .repeats = options.repeats, .fall = options.fall};
    for (const ListedPrompt& prompt :
         read_prompts(options.prompt, options.prompt_file, settings.text("negative_prompt")))
        plan.prompts.push_back(prompt.text);
    if (options.repeats < 1 || options.repeats > 1000)
        fail(ErrorCode::usage, "--repeats", "expected 1 to 1000, got {}", options.repeats);
    if (!(options.fall > 0 && options.fall <= 1))
        fail(ErrorCode::usage, "--fall", "expected more than 0 and at most 1, got {}", options.fall);
    Request request = request_from(settings);
    if (*request.images < 2) fail(ErrorCode::usage, "--images", "one image has no spread");
    request.method = "none";
    if (*request.seed < 0)
        fail(ErrorCode::usage, "--seed", "a calibration needs a seed of its own, not a random one");

    catch_interrupt();
    const Engine engine(engine_options_from(settings));
    const fs::path path = options.output.empty() ? engine.loaded().model().folder.root() / "gass.json"
                                                 : fs::path(options.output);
    std::error_code error;
    Json json =
        fs::exists(path, error) ? parse_json(read_text_file(path.string()), path.string()) : Json::object();
    if (!json.is_object()) fail(ErrorCode::model_invalid, path.string(), "expected a JSON object");
    AtomicFile file(path);  // found out before hours of measuring whether it can be written
    engine.load();
    Progress progress(progress_mode(settings.text("progress")), "calibrate");
    const Calibration calibration = calibrate(engine, request, plan, events_for(progress));
    progress.finish();
    write_stdout(table(calibration));
    json["dial"] = to_json(calibration);
    file.write(shown(json));
    file.commit();
    write_stdout(fmt::format("written to {}\n", path.string()));
    return 0;
}

}  // namespace gass::cli
