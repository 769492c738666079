// What gass 0.1 wrote is read, and written again as it was.

#include "core/json.h"
#include "io/file.h"
#include "io/image.h"
#include "record/candidate.h"
#include "record/changes.h"
#include "record/group_json.h"
#include "record/method_step_json.h"
#include "record/record_json.h"
#include "record/spread_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace gass {
namespace {

const std::filesystem::path kOldFiles = std::filesystem::path(GASS_OLD_FILES_DIR) / "gass-0.1";

Json old_group() {
    return parse_json(read_text_file(kOldFiles / "group.json"), "group.json");
}

Json old_picture() {
    const ImageFile file = read_image(kOldFiles / "0001.png");
    const auto text = std::ranges::find(file.info.text, "gass", &ImageText::key);
    return text == file.info.text.end() ? Json() : parse_json(text->value, "0001.png");
}

TEST(OldFiles, GroupIsWrittenAsItWas) {
    const Json json = old_group();
    const Json again = to_json(read_record(json, "old"));
    for (const auto& [key, value] : again.items()) EXPECT_EQ(value.dump(), json.at(key).dump()) << key;
    EXPECT_EQ(to_json(read_spread(json.at("spread"), "old")).dump(), json.at("spread").dump());
    const std::vector<MethodStep> steps = read_method_steps(json.at("method_steps"), "old");
    EXPECT_EQ(to_json(steps).dump(), json.at("method_steps").dump());
}

TEST(OldFiles, GroupTellsWhatItsMethodDid) {
    const RecordedGroup group = read_group(old_group(), "old");
    EXPECT_EQ(group.prompt, "a {red|blue} car");
    EXPECT_EQ(group.model, "mini-turbo");
    EXPECT_EQ(group.pictures.size(), 3U);
    EXPECT_EQ(group.spread.value().along.size(), 3U);
    std::array<std::size_t, std::variant_size_v<MethodStep>> kinds{};
    for (const MethodStep& step : group.method_steps) {
        ++kinds.at(step.index());
        if (const auto* selection = std::get_if<Selection>(&step)) {
            EXPECT_EQ(count_kept(*selection), 3U);
            EXPECT_EQ(count_of(*selection, CandidateFate::less_matching), 3U);
        }
    }
    EXPECT_THAT(kinds, testing::ElementsAre(1U, 4U, 2U, 3U, 4U));
}

TEST(OldFiles, PictureHasTheRecordOfItsGroup) {
    Json json = old_picture();
    const Record record = read_record(json, "old");
    EXPECT_EQ(record, read_record(old_group(), "old"));
    EXPECT_TRUE(changes(record, record).empty());
    Json again = to_json(record);
    again["index"] = 1;
    EXPECT_EQ(again.dump(), json.dump());
}

}  // namespace
}  // namespace gass
