#include "measure/images/prompt_table.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "core/wording.h"
#include "io/file.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace gass {
namespace {

namespace fs = std::filesystem;

constexpr SettingKey kWhere("prompt_file");
constexpr std::size_t kMaxFile = std::size_t{1} << 30U;

std::size_t count_images(const std::vector<FoundGroup>& groups) {
    std::size_t count = 0;
    for (const FoundGroup& group : groups) count += group.images.size();
    return count;
}

fs::path whole_path(const fs::path& path) {
    return fs::absolute(path.empty() ? "." : path).lexically_normal();
}

/// The lines "file<TAB>prompt", and which of them an image is meant by.
class PromptTable {
  public:
    PromptTable(const std::vector<std::string_view>& lines, const fs::path& file)
        : folder_(whole_path(file.parent_path())) {
        for (const std::string_view line : lines) {
            const std::size_t tab = line.find('\t');
            const std::string name = fs::path(line.substr(0, tab)).lexically_normal().native();
            const std::string_view prompt = line.substr(tab + 1);
            const auto [row, is_new] = prompts_.try_emplace(name, prompt);
            if (!is_new && row->second != prompt)
                fail(ErrorCode::usage, kWhere, "{} occurs twice, with different prompts", in_quotes(name));
        }
    }

    /// nullptr if no line is for it.
    const std::string_view* by_path(const fs::path& image, const fs::path& place) const {
        const fs::path whole = whole_path(image);
        for (const fs::path& name :
             {whole.lexically_relative(folder_), whole.lexically_relative(whole_path(place)), whole,
              image.lexically_normal()}) {
            if (const auto row = prompts_.find(name.native()); row != prompts_.end()) return &row->second;
        }
        return nullptr;
    }
    const std::string_view* by_name(const fs::path& image) const {
        const auto row = prompts_.find(image.filename().native());
        return row == prompts_.end() ? nullptr : &row->second;
    }

  private:
    fs::path folder_;
    std::unordered_map<std::string, std::string_view> prompts_;
};

/// File names that more than one of the images has.
std::set<std::string> shared_names(const std::vector<FoundGroup>& groups) {
    std::unordered_map<std::string, fs::path> owners;
    std::set<std::string> shared;
    for (const FoundGroup& group : groups) {
        for (const MeasuredImage& image : group.images) {
            const fs::path whole = whole_path(image.file);
            const auto [owner, is_new] = owners.try_emplace(whole.filename().native(), whole);
            if (!is_new && owner->second != whole) shared.insert(owner->first);
        }
    }
    return shared;
}

void give_by_name(std::vector<FoundGroup>& groups, const std::vector<std::string_view>& lines,
                  const fs::path& file) {
    const PromptTable table(lines, file);
    const std::set<std::string> shared = shared_names(groups);
    for (FoundGroup& group : groups) {
        for (MeasuredImage& image : group.images) {
            const std::string_view* prompt = table.by_path(image.file, group.folder);
            if (prompt == nullptr) {
                prompt = table.by_name(image.file);
                if (prompt != nullptr && shared.contains(image.file.filename().native()))
                    fail(ErrorCode::usage, kWhere, "several images are called {}; write the path of each",
                         in_quotes(image.file.filename().string()));
            }
            if (prompt == nullptr)
                fail(ErrorCode::usage, kWhere, "{} for {}, but none for {}", counted(lines.size(), "line"),
                     counted(count_images(groups), "image"), in_quotes(image.file.string()));
            image.prompt = *prompt;
        }
    }
}

void give_in_order(std::vector<FoundGroup>& groups, const std::vector<std::string_view>& lines) {
    if (lines.size() != count_images(groups))
        fail(ErrorCode::usage, kWhere,
             "{} for {}; expected one for each, in their order, or lines \"file<TAB>prompt\"",
             counted(lines.size(), "line"), counted(count_images(groups), "image"));
    auto line = lines.begin();
    for (FoundGroup& group : groups) {
        for (MeasuredImage& image : group.images) image.prompt = *line++;
    }
}

}  // namespace

void give_prompts(std::vector<FoundGroup>& groups, const fs::path& file) {
    const std::string text = read_text_file(file, kMaxFile);
    std::vector<std::string_view> lines;
    for (const TextLine& line : prompt_lines(text)) lines.push_back(line.text);
    const auto with_tab = static_cast<std::size_t>(std::ranges::count_if(
        lines, [](std::string_view line) { return line.find('\t') != std::string_view::npos; }));
    if (with_tab != 0 && with_tab != lines.size())
        fail(ErrorCode::usage, kWhere,
             "{} of {} lines read \"file<TAB>prompt\"; expected all of them or none", with_tab, lines.size());
    for (const std::string_view line : lines) check_prompt(line, kWhere, ErrorCode::model_invalid);
    if (with_tab != 0) return give_by_name(groups, lines, file);
    give_in_order(groups, lines);
}

}  // namespace gass
