#include "command_line.h"
#include "core/fail.h"
#include "core/log.h"
#include "explain/drawing_file.h"
#include "explain/figure.h"
#include "explain_summary.h"
#include "io/file.h"
#include "io/file_set.h"
#include "output.h"
#include "record/group_json.h"
#include "record/record_file.h"
#include "sheet/resize.h"

#include <filesystem>
#include <memory>

namespace gass::cli {
namespace {

namespace fs = std::filesystem;

// Of a group with 100,000 candidates, in the form that gass writes, there is room for two.
constexpr std::size_t kMaxFile = std::size_t{48} << 20U;

struct ExplainOptions {
    std::string group;
    std::string output;
    bool json = false;
};

int explain_group(const ExplainOptions& options) {
    const fs::path path = group_file_of(options.group);
    settle_file_set(path.parent_path());
    const explain::GroupStory story = explain::story_of(
        read_group(parse_json(read_text_file(path, kMaxFile), path.string()), path.string()));
    if (!story.tells_anything()) {
        fail(ErrorCode::usage, path.string(),
             "tells nothing of a method: it has neither \"spread\" nor steps of gass or gass-paper, which it "
             "could draw; generate "
             "the set with --method gass, for instance");
    }
    const fs::path output =
        options.output.empty() ? path.parent_path() / "explain.svg" : fs::path(options.output);
    explain::check_drawing_path(output);

    std::vector<std::string> unreadable;
    const auto thumbnails = explain::read_thumbnails(path.parent_path(), story.pictures, unreadable);
    for (const std::string& message : unreadable) log::warn("{}", message);
    explain::write_drawing(output, explain::draw_figure(story, thumbnails));
    if (options.json) {
        Json json = explain_json(story);
        json["file"] = output.string();
        write_json("explain/1", json);
    } else {
        write_stdout(explain_text(story) + "\n" + output.string() + "\n");
    }
    return 0;
}

}  // namespace

void add_explain_command(CLI::App& app, CommandLine& line) {
    const auto options = std::make_shared<ExplainOptions>();
    CLI::App* command = add_command(app, line, "explain", "Show and draw what a method did to a set",
                                    [options] { return explain_group(*options); });
    command
        ->add_option("GROUP", options->group, "the folder of a set, one of its pictures, or its group.json")
        ->required()
        ->type_name("");
    command
        ->add_option("-o,--output", options->output,
                     "the drawing, .svg or .png (default: explain.svg beside group.json)")
        ->type_name("FILE");
    command->add_flag("--json", options->json, "print JSON");
}

}  // namespace gass::cli
