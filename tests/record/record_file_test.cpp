// What is read of a set's files, whichever of them is named, and what is refused.

#include "record/record_file.h"

#include "io/png.h"
#include "io/set_folder.h"
#include "record/record_json.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace gass {
namespace {

namespace fs = std::filesystem;
using test::expect_error;

class RecordFile : public testing::Test {
  protected:
    RecordFile() {
        record_.prompt = "a {red|blue} car";
        record_.seeds = {7, 8};
        record_.settings.model = "mini-flow";
    }

    /// A picture with these texts.
    fs::path picture(const std::string& name, const std::vector<ImageText>& texts) const {
        write_png(folder_ / name, {2, 2, std::vector<std::uint8_t>(12, 9)}, texts);
        return folder_ / name;
    }
    /// A picture of the set.
    fs::path picture(std::size_t index) const {
        Json json = to_json(record_);
        json["index"] = index;
        const std::string parameters = "a blue car\nNegative prompt: rain\nSteps: 2, Seed: 8";
        return picture(picture_name(index, picture_format("png")),
                       {{"parameters", parameters}, {"gass", json.dump()}});
    }
    fs::path group(const Json& changes = Json::object()) const {
        Json json = to_json(record_);
        json["images"] = {{{"file", "0000.png"}, {"seed", 7}}, {{"file", "0001.png"}, {"seed", 8}}};
        json.update(changes);
        return folder_.write(kGroupFile, json.dump());
    }

    test::TemporaryFolder folder_;
    Record record_;
};

TEST_F(RecordFile, APictureTellsItsPlaceAndItsOwnPrompt) {
    const RecordedPictureFile read = read_picture_record(picture(1));
    EXPECT_EQ(read.record, record_);
    EXPECT_EQ(read.index, 1U);
    EXPECT_EQ(read.prompt, "a blue car");
    EXPECT_EQ(read.image.width, 2U);
    EXPECT_TRUE(carries_record(picture(0)));

    Json json = to_json(record_);
    json["index"] = 0;  // of another program, which kept our record alone
    EXPECT_EQ(read_picture_record(picture("own.png", {{"gass", json.dump()}})).prompt, record_.prompt);
}

TEST_F(RecordFile, WhatIsNoPictureOfASetIsRefused) {
    const auto refused = [](const fs::path& file, const std::string& part) {
        expect_error(ErrorCode::model_invalid, part, [&] { read_picture_record(file); });
    };
    EXPECT_FALSE(carries_record(picture("plain.png", {})));
    refused(folder_ / "plain.png", "it carries no record of gass");
    refused(picture("other.png", {{"parameters", "a car\nSteps: 2"}}), "it carries no record of gass");
    refused(picture("sheet.png", {{"gass", to_json(record_).dump()}}), "it is a set's sheet");
    for (const char* text :
         {"", "null", "[]", "{}", "{", "nonsense", R"({"gass": 3})", R"({"a": 1, "a": 2})"})
        refused(picture("bad.png", {{"gass", text}}), "bad.png, gass");
    for (const Json& index : {Json(2), Json(-1), Json("0"), Json(0.5), Json(1e300)}) {
        Json json = to_json(record_);
        json["index"] = index;
        refused(picture("bad.png", {{"gass", json.dump()}}), "\"index\" must be below 2");
    }
    refused(folder_.write("text.png", "no picture"), "text.png");
    expect_error(ErrorCode::model_not_found, "absent.png",
                 [&] { read_picture_record(folder_ / "absent.png"); });
}

TEST_F(RecordFile, EveryFileOfASetLeadsToItsRecord) {
    const fs::path file = group();
    picture("sheet.png", {{"gass", to_json(record_).dump()}});
    for (const fs::path& place : {picture(0), folder_ / "sheet.png", file, folder_.path(), folder_ / ""}) {
        EXPECT_EQ(read_set_record(place), record_) << place;
        EXPECT_TRUE(fs::equivalent(group_file_of(place), file)) << place;
    }
    // A picture tells for itself, also where the rest of its set is gone.
    fs::remove(file);
    EXPECT_EQ(read_set_record(folder_ / "0000.png"), record_);
    EXPECT_ANY_THROW(read_set_record(folder_.path()));
}

TEST_F(RecordFile, WhatBelongsToNoSetIsRefused) {
    const auto refused = [](const fs::path& place, const std::string& part) {
        expect_error(ErrorCode::model_invalid, part, [&] { read_set_record(place); });
    };
    refused(picture("plain.png", {}), "it carries no record of gass");
    refused(folder_.write("group.json", "{}"), "the key \"gass\" is missing");
    refused(folder_.write("group.json", "[]"), "group.json");
    refused(folder_.write("index.html", "<!doctype html>"), "index.html");
    refused(folder_.write("group.json", std::string(100'000, '[')), "group.json");
    fs::create_directory(folder_ / "folder.png");
    expect_error(ErrorCode::model_not_found, "folder.png/group.json",
                 [&] { read_set_record(folder_ / "folder.png"); });
}

TEST_F(RecordFile, ASetsPicturesAreThoseThatItNames) {
    group();
    picture(0), picture(1);
    picture("0002.png", {}), picture("mine.png", {});
    EXPECT_EQ(recorded_pictures(folder_.path()),
              (std::vector<fs::path>{folder_ / "0000.png", folder_ / "0001.png"}));
    // It names no file but its own.
    group({{"images", {{{"file", "/etc/passwd"}}, {{"file", "../x.png"}}, {{"file", "sheet.png"}}}}});
    expect_error(ErrorCode::model_invalid, "no set of gass with pictures",
                 [&] { recorded_pictures(folder_.path()); });
    fs::remove(folder_ / kGroupFile);
    expect_error(ErrorCode::model_invalid, "no set of gass with pictures",
                 [&] { recorded_pictures(folder_.path()); });
}

}  // namespace
}  // namespace gass
