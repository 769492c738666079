#include "record/group_json.h"

#include "core/fail.h"
#include "core/quote.h"
#include "record/method_step_json.h"
#include "record/numbers_json.h"
#include "record/spread_json.h"

#include <utility>

namespace gass {
namespace {

std::vector<RecordedPicture> read_pictures(const Json& json, const std::string& where) {
    std::vector<RecordedPicture> pictures;
    for (const Json& image : read_array(json, where)) {
        JsonReader reader(image, fmt::format("{}[{}]", where, pictures.size()));
        RecordedPicture picture{reader.string("file"), read_whole(reader, "seed")};
        // Pictures lie beside the file that names them; one that leads elsewhere would show what is not ours.
        if (picture.file.empty() || picture.file == "." || picture.file == ".." ||
            picture.file.find_first_of(std::string_view("/\0", 2)) != std::string::npos) {
            fail(ErrorCode::model_invalid, reader.where(), "{} is not the name of a file beside this one",
                 in_quotes(picture.file));
        }
        pictures.push_back(std::move(picture));
    }
    return pictures;
}

}  // namespace

RecordedGroup read_group(const Json& json, std::string_view where) {
    JsonReader reader(json, where);
    const auto inside = [&](std::string_view key) { return fmt::format("{}: {}", where, key); };
    RecordedGroup group;
    group.prompt = read_text_if_any(reader, "prompt");
    if (const Json* settings = reader.find("settings")) {
        JsonReader own(*settings, inside("settings"));
        group.model = read_text_if_any(own, "model");
        group.method = read_text_if_any(own, "method");
    }
    if (const Json* images = reader.find("images")) group.pictures = read_pictures(*images, inside("images"));
    if (const Json* spread = reader.find("spread")) {
        group.spread = read_spread(*spread, inside("spread"));
        if (!group.pictures.empty())
            check_length(inside("spread"), "\"along\"", group.spread->along.size(), group.pictures.size());
    }
    if (const Json* steps = reader.find("method_steps"))
        group.method_steps = read_method_steps(*steps, inside("method_steps"));
    return group;
}

}  // namespace gass
