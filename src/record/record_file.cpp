#include "record/record_file.h"

#include "core/fail.h"
#include "io/file.h"
#include "io/file_set.h"
#include "io/infotext.h"
#include "io/picture_format.h"
#include "io/set_folder.h"
#include "record/record_json.h"

namespace gass {
namespace {

namespace fs = std::filesystem;

Json record_in(const ImageInfo& info, const fs::path& file) {
    const std::string* text = find_text(info, kRecordKey);
    if (text == nullptr) {
        fail(ErrorCode::model_invalid, file.string(),
             "it carries no record of gass: made elsewhere, or saved again without its metadata");
    }
    return parse_json(*text, file.string() + ", gass");
}

}  // namespace

RecordedPictureFile read_picture_record(const fs::path& file) {
    const ImageFile picture = read_image(file);
    const Json json = record_in(picture.info, file);
    const std::string where = file.string() + ", gass";
    RecordedPictureFile recorded{
        .file = file, .record = read_record(json, where), .index = 0, .prompt = {}, .image = picture.image};
    JsonReader reader(json, where);
    const Json* index = reader.find("index");
    if (index == nullptr)
        fail(ErrorCode::model_invalid, file.string(), "it is a set's sheet; name one of the set's images");
    if (!index->is_number_unsigned() || index->get<std::uint64_t>() >= recorded.record.seeds.size())
        fail(ErrorCode::model_invalid, where, "\"index\" must be below {}", recorded.record.seeds.size());
    recorded.index = index->get<std::size_t>();
    const std::string* parameters = find_text(picture.info, kParametersKey);
    recorded.prompt = parameters == nullptr ? recorded.record.prompt : parse_infotext(*parameters).prompt;
    return recorded;
}

bool carries_record(const fs::path& file) {
    return find_text(read_image_info(file), kRecordKey) != nullptr;
}

Record read_set_record(const fs::path& place) {
    std::error_code error;
    const bool is_picture = has_picture_extension(place) && !fs::is_directory(place, error);
    if (is_picture) {
        settle_file_set(place.parent_path());
        return read_record(record_in(read_image_info(place), place), place.string() + ", gass");
    }
    const fs::path file = group_file_of(place);
    settle_file_set(file.parent_path());
    return read_record(parse_json(read_text_file(file), file.string()), file.string());
}

fs::path group_file_of(const fs::path& place) {
    std::error_code error;
    if (fs::is_directory(place, error)) return place / kGroupFile;
    return has_picture_extension(place) ? place.parent_path() / kGroupFile : place;
}

std::vector<fs::path> recorded_pictures(const fs::path& folder) {
    settle_file_set(folder);
    std::vector<fs::path> files;
    for (const std::string& name : pictures_of_set(folder)) files.push_back(folder / name);
    if (files.empty())
        fail(ErrorCode::model_invalid, folder.string(), "there is no set of gass with pictures in it");
    return files;
}

}  // namespace gass
