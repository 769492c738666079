#include "measure/images/image_list.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "core/wording.h"
#include "io/file.h"
#include "measure/images/delimited_text.h"
#include "measure/images/image_set.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace gass {
namespace {

namespace fs = std::filesystem;

// The first that is there counts.
constexpr std::array<std::string_view, 4> kFileColumns{"file_name", "file", "path", "image"};
constexpr std::array<std::string_view, 3> kPromptColumns{"text", "prompt", "caption"};

/// Collects the rows of a list, each with the place it came from.
class ListBuilder {
  public:
    explicit ListBuilder(const fs::path& path) : folder_(path.parent_path()) {}

    void add(std::string_view file, std::string prompt, const std::string& where) {
        if (file.empty() || file.find('\0') != std::string_view::npos)
            fail(ErrorCode::model_invalid, where, "{} is not a file name", in_quotes(file));
        check_prompt(prompt, where, ErrorCode::model_invalid);
        if (list_.images.size() == kMaxMeasuredImages)
            fail(ErrorCode::model_invalid, where, "more than {} images", kMaxMeasuredImages);
        list_.has_prompts = list_.has_prompts || !prompt.empty();
        list_.images.push_back({folder_ / fs::path(file), std::move(prompt)});
    }

    void add(const Json& row, const std::string& where) {
        JsonReader reader(row, where);
        const std::string* file = text_of(reader, kFileColumns);
        if (file == nullptr)
            fail(ErrorCode::model_invalid, where, "one of the keys {} must name an image",
                 fmt::join(kFileColumns, ", "));
        const std::string* prompt = text_of(reader, kPromptColumns);
        add(*file, prompt == nullptr ? "" : *prompt, where);
    }

    ImageList take() { return std::move(list_); }

  private:
    template <std::size_t count>
    static const std::string* text_of(JsonReader& reader, const std::array<std::string_view, count>& keys) {
        for (const std::string_view key : keys) {
            if (reader.find(key) != nullptr) return &reader.string(key);
        }
        return nullptr;
    }

    fs::path folder_;
    ImageList list_;
};

std::string_view text_of(const MappedFile& file) {
    return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

ImageList read_json_lines(const fs::path& path) {
    const MappedFile file(path);
    std::string_view rest = text_of(file);
    ListBuilder list(path);
    for (std::size_t number = 1; !rest.empty(); ++number) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
            const std::string where = fmt::format("{}, line {}", path.string(), number);
            list.add(parse_json(line, where), where);
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return list.take();
}

ImageList read_table(const fs::path& path, char separator) {
    const MappedFile file(path);
    ListBuilder list(path);
    read_columns(text_of(file), separator, path.string(), kFileColumns, kPromptColumns,
                 [&](const std::string& image, const std::string& prompt, const std::string& place) {
                     list.add(image, prompt, place);
                 });
    return list.take();
}

}  // namespace

bool is_image_list_name(const fs::path& path) {
    const fs::path extension = path.extension();
    return extension == ".jsonl" || extension == ".csv" || extension == ".tsv";
}

ImageList read_image_list(const fs::path& path) {
    if (path.extension() == ".jsonl") return read_json_lines(path);
    return read_table(path, path.extension() == ".tsv" ? '\t' : ',');
}

ImageList image_list_of(const Json& json, const fs::path& path) {
    if (!json.is_array())
        fail(ErrorCode::model_invalid, path.string(), "expected a list of images or a group.json of gass");
    ListBuilder list(path);
    for (std::size_t i = 0; i < json.size(); ++i) list.add(json[i], fmt::format("{}[{}]", path.string(), i));
    return list.take();
}

}  // namespace gass
