#include "measure/images/image_set.h"

#include "core/log.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace gass {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using test::expect_error;
using testing::ElementsAre;

/// Pictures are never opened here, so any bytes do.
class ImageSetPlaces : public testing::Test {
  protected:
    ImageSetPlaces() { log::set_level(log::Level::error); }
    ~ImageSetPlaces() override { log::set_level(log::Level::warn); }

    void write(const std::vector<std::string>& names) const {
        for (const std::string& name : names) folder_.write(name, "x");
    }
    std::string at(const std::string& name) const { return (folder_ / name).string(); }

    /// "group: file file; group: …", files relative to the test's folder.
    std::string found(const std::vector<std::string>& places) const {
        std::string text;
        for (const ImageGroup& group : find_images({.places = places}).groups) {
            text += (text.empty() ? "" : "; ") + group.name + ":";
            for (const MeasuredImage& image : group.images) {
                const fs::path relative =
                    fs::absolute(image.file).lexically_normal().lexically_relative(folder_.path());
                text += " " + relative.string() + (image.prompt.empty() ? "" : "=" + image.prompt);
            }
        }
        return text;
    }

    test::TemporaryFolder folder_;
};

TEST_F(ImageSetPlaces, AFolderIsAGroup) {
    write({"cats/b.png", "cats/a.JPG", "cats/c.jpeg", "cats/sheet.png", "cats/preview.png", "cats/x.webp",
           "cats/x.gif", "cats/.hidden.png", "cats/notes.txt", "cats/.git/d.png"});
    for (const char* place : {"cats", "cats/", "cats/../cats/.", "cats/*"})
        EXPECT_EQ(found({at(place)}), "cats: cats/a.JPG cats/b.png cats/c.jpeg cats/x.webp") << place;
}

TEST_F(ImageSetPlaces, FoldersBelowAreGroupsToo) {
    write({"set/top.png", "set/cat/1.png", "set/cat/2.png", "set/cat/old/3.png", "set/dog/1.png",
           "set/empty/readme.md"});
    EXPECT_EQ(
        found({at("set")}),
        "set: set/top.png; cat: set/cat/1.png set/cat/2.png; cat/old: set/cat/old/3.png; dog: set/dog/1.png");
    EXPECT_EQ(find_images({.places = {at("set")}}).image_count(), 5U);
}

TEST_F(ImageSetPlaces, ThisFolderHasAName) {
    write({"here/1.png", "here/below/2.png"});
    const fs::path before = fs::current_path();
    fs::current_path(folder_ / "here");
    EXPECT_EQ(found({"."}), "here: here/1.png; below: here/below/2.png");
    EXPECT_EQ(found({"1.png"}), "here: here/1.png");
    EXPECT_EQ(found({"*.png"}), "here: here/1.png");
    EXPECT_EQ(found({"below/.."}), "here: here/1.png; below: here/below/2.png");
    fs::current_path(before);
}

TEST_F(ImageSetPlaces, PicturesNamedOneByOneAreGroupsByFolder) {
    write({"a/1.png", "a/2.png", "b/1.png", "a/sheet.png", "a/index.html"});
    EXPECT_EQ(found({at("a/2.png"), at("b/1.png"), at("a/1.png"), at("a/sheet.png"), at("a/index.html")}),
              "a: a/2.png a/1.png; b: b/1.png");
    EXPECT_EQ(found({at("a/1.png"), at("a/1.png")}), "a: a/1.png a/1.png");  // named twice, counted twice
    write({"noending"});
    EXPECT_EQ(find_images({.places = {at("noending")}}).image_count(), 1U);  // the content decides, later
    expect_error(ErrorCode::usage, "none of the files", [&] { found({at("a/sheet.png")}); });
}

TEST_F(ImageSetPlaces, PicturesOfOtherFormatsAreNamed) {
    write({"set/1.png", "set/a.TIFF", "set/notes.txt", "set/index.html", "set/compare.csv", "set/sheet.png",
           "set/explain.svg", "set/.b.gif", "set/other/2.gif"});
    folder_.write("set/b.gif", "GIF89a and more");
    folder_.write("set/c.bmp", std::string("\x89PNG\r\n\x1A\n and more", 20));  // its content counts
    fs::create_symlink("nowhere", folder_ / "set/gone.jpg");
    const auto unreadable = [&](const std::string& place) {
        std::string text;
        for (const UnreadableFile& file : find_images({.places = {at(place)}}).unreadable)
            text += file.file.lexically_relative(folder_.path()).string() + ": " + file.reason + "\n";
        return text;
    };
    EXPECT_EQ(found({at("set")}), "set: set/1.png set/c.bmp");
    EXPECT_THAT(unreadable("set"),
                testing::MatchesRegex("set/a.TIFF: expected a PNG, JPEG or WebP image, found text: \"x\"\n"
                                      "set/b.gif: expected a PNG, JPEG or WebP image, found a GIF image\n"
                                      "set/gone.jpg: [^\n]*\nset/other/2.gif: [^\n]*\n"));
    EXPECT_EQ(found({at("set/*.[pgbt]*")}), "set: set/1.png set/c.bmp");
    EXPECT_THAT(unreadable("set/*.[pgbt]*"), testing::MatchesRegex("set/b.gif: [^\n]*\n"));
    expect_error(ErrorCode::usage,
                 "no PNG, JPEG or WebP in \"" + at("set/other") + "\"; \"2.gif\": expected a",
                 [&] { found({at("set/other")}); });
    expect_error(ErrorCode::usage, "matches the pattern \"" + at("set/*.gif") + "\"; \"b.gif\": expected a",
                 [&] { found({at("set/*.gif")}); });
}

TEST_F(ImageSetPlaces, WhatASetDoesNotNameIsNoneOfIt) {
    write({"cars/0000.png", "cars/extra.gif"});
    folder_.write("cars/group.json", R"({"gass": "1", "prompt": "p", "images": [{"file": "0000.png"}]})");
    log::set_level(log::Level::warn);
    testing::internal::CaptureStderr();
    EXPECT_TRUE(find_images({.places = {at("cars")}}).unreadable.empty());
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                testing::HasSubstr("does not name 1 of the pictures"));
}

TEST_F(ImageSetPlaces, PatternsMatchPicturesAndFolders) {
    write({"a/10.png", "a/9.png", "a/x.txt", "a/sheet.png", "b/1.png", "ab/in/1.png", "none/x.txt"});
    EXPECT_EQ(found({at("a/*")}), "a: a/10.png a/9.png");
    EXPECT_EQ(found({at("a/?.png")}), "a: a/9.png");
    EXPECT_EQ(found({at("?/*.png")}), "a: a/10.png a/9.png; b: b/1.png");
    EXPECT_EQ(found({at("[ab]")}), "a: a/10.png a/9.png; b: b/1.png");
    EXPECT_EQ(found({at("*")}), "a: a/10.png a/9.png; in: ab/in/1.png; b: b/1.png");
    expect_error(ErrorCode::usage, "no PNG, JPEG or WebP matches the pattern", [&] { found({at("*.jpg")}); });
    expect_error(ErrorCode::usage, "matches the pattern", [&] { found({at("none/*")}); });
    write({"odd[1]*/1.png"});  // what exists is no pattern
    EXPECT_EQ(found({at("odd[1]*")}), "odd[1]*: odd[1]*/1.png");
}

TEST_F(ImageSetPlaces, SetsOfOursBringTheirPrompts) {
    write({"cars/0000.png", "cars/0001.png", "cars/extra.png", "cars/sheet.png"});
    folder_.write("cars/group.json",
                  R"({"gass": "1.0", "prompt": "a {red|blue} car", "images": [
                      {"file": "0000.png", "seed": 1, "prompt": "a red car"}, {"file": "0001.png", "prompt": "a blue car"},
                      {"file": "0002.png"}], "method_steps": []})");
    // One group although the choices differ: they were sampled together. The third image was deleted, which
    // whoever reads it will say.
    const std::string wanted =
        "cars: cars/0000.png=a red car cars/0001.png=a blue car cars/0002.png=a {red|blue} car";
    EXPECT_EQ(found({at("cars")}), wanted);
    EXPECT_EQ(found({at("cars/group.json")}), wanted);
    EXPECT_EQ(found({at("*/group.json")}), wanted);
    write({"more/1.png"});
    fs::rename(folder_ / "cars", folder_ / "more/cars");  // as gass compare lays them out
    EXPECT_EQ(found({at("more")}),
              "more: more/1.png; cars: more/cars/0000.png=a red car more/cars/0001.png=a blue car "
              "more/cars/0002.png=a {red|blue} car");
}

TEST_F(ImageSetPlaces, PicturesThatASetDoesNotNameAreCounted) {
    write({"cars/0000.png", "cars/extra.png", "cars/more.jpg", "cars/sheet.png", "cars/below/1.png"});
    const auto warnings = [&] {
        log::set_level(log::Level::warn);
        testing::internal::CaptureStderr();
        found({at("cars")});
        log::set_level(log::Level::error);
        return testing::internal::GetCapturedStderr();
    };
    folder_.write("cars/group.json", R"({"gass": "1", "prompt": "p", "images": [{"file": "0000.png"}]})");
    EXPECT_THAT(warnings(), testing::HasSubstr(at("cars") + ": group.json does not name 2 of the pictures"));
    folder_.write("cars/group.json", R"({"gass": "1", "prompt": "p", "images": [{"file": "0000.png"},
                   {"file": "extra.png"}, {"file": "more.jpg"}, {"file": "gone.png"}]})");
    EXPECT_EQ(warnings(), "");
}

TEST_F(ImageSetPlaces, OtherGroupFilesAreNotOurs) {
    write({"x/0000.png"});
    for (const char* text : {"{}", "[]", "not json", R"({"gass": 1})", R"({"gass": "1", "prompt": "p"})",
                             R"({"gass": "1", "prompt": "p", "images": {}})",
                             R"({"gass": "1", "prompt": "p", "images": [{"file": "../x/0000.png"}]})",
                             R"({"gass": "1", "prompt": "p", "images": [{"file": ".."}]})",
                             R"({"gass": "1", "prompt": "p", "images": [1]})"}) {
        folder_.write("x/group.json", text);
        EXPECT_EQ(found({at("x")}), "x: x/0000.png") << text;
        EXPECT_THROW(found({at("x/group.json")}), Error) << text;
    }
    expect_error(ErrorCode::model_invalid, "must be an array", [&] {
        folder_.write("x/group.json", R"({"gass": "1", "prompt": "p", "images": 3})");
        found({at("x/group.json")});
    });
    folder_.write("x/group.json", R"({"gass": "1", "prompt": "p", "images": []})");
    expect_error(ErrorCode::usage, "the set has no images", [&] { found({at("x/group.json")}); });
    EXPECT_EQ(found({at("x")}), "x: x/0000.png");
}

TEST_F(ImageSetPlaces, NamesOfGroupsAreUnique) {
    write({"one/out/1.png", "two/out/1.png", "one/b/1.png"});
    const std::vector<std::string> places{at("one/out"), at("two/out"), at("one/b"), at("one/out")};
    std::vector<std::string> names;
    for (const ImageGroup& group : find_images({.places = places}).groups) names.push_back(group.name);
    EXPECT_THAT(names, ElementsAre(at("one/out"), at("two/out"), "b", at("one/out") + " (2)"));
}

TEST_F(ImageSetPlaces, NamesThatAreNotUtf8AreAllowed) {
    write({"f\xFF/1\xFE.png"});
    const ImageSet set = find_images({.places = {folder_.path().string()}});
    ASSERT_EQ(set.groups.size(), 1U);
    EXPECT_EQ(set.groups[0].name, "f\\xff");
    EXPECT_EQ(set.groups[0].images[0].file.filename().string(), "1\xFE.png");
}

TEST_F(ImageSetPlaces, WhatIsNotThereIsSaid) {
    expect_error(ErrorCode::model_not_found, "there is no image, folder or pattern \"/no/such\\x0athing\"",
                 [&] { found({"/no/such\nthing"}); });
    expect_error(ErrorCode::model_not_found, "there is no image", [&] { found({""}); });
    expect_error(ErrorCode::model_not_found, "there is no image", [&] { found({std::string("a\0b", 3)}); });
    expect_error(ErrorCode::model_not_found, "there is no image", [&] { found({std::string(10'000, 'x')}); });
    expect_error(ErrorCode::usage, "name images", [&] { found({}); });
    write({"empty/sheet.png", "empty/x.gif"});
    expect_error(ErrorCode::usage, "[images] no PNG, JPEG or WebP in", [&] { found({at("empty")}); });
    // Complaints name the flag that the place came from.
    for (const std::string& place :
         {at("empty"), at("empty/sheet.png"), at("empty/*"), at("absent"), "/dev/null"s})
        expect_error(place == at("absent") ? ErrorCode::model_not_found : ErrorCode::usage, "[`reference`] ",
                     [&] { find_images({.places = {place}, .where = "`reference`"}); });
    expect_error(ErrorCode::usage, "[`reference`] name images",
                 [] { find_images({.where = "`reference`"}); });
}

TEST_F(ImageSetPlaces, LoopsPipesAndDevicesDoNotHang) {
    write({"set/1.png", "elsewhere/2.png"});
    fs::create_directory_symlink(folder_ / "set", folder_ / "set/loop");
    fs::create_directory_symlink("..", folder_ / "set/up");
    fs::create_symlink("self.png", folder_ / "set/self.png");
    fs::create_symlink("/dev/zero", folder_ / "set/zero.png");
    fs::create_symlink(folder_ / "elsewhere/2.png", folder_ / "set/linked.png");
    ASSERT_EQ(::mkfifo((folder_ / "set/pipe.png").c_str(), 0600), 0);
    fs::create_directory(folder_ / "set/folder.png");
    EXPECT_EQ(found({at("set")}), "set: set/1.png set/linked.png");
    std::vector<std::string> unreadable;
    for (const UnreadableFile& file : find_images({.places = {at("set")}}).unreadable)
        unreadable.push_back(file.file.filename().string());
    EXPECT_THAT(unreadable, ElementsAre("pipe.png", "self.png", "zero.png"));
    EXPECT_EQ(found({at("set/[1lps]*")}).substr(0, 14), "set: set/1.png");
    expect_error(ErrorCode::usage, "neither a file nor a folder", [&] { found({at("set/pipe.png")}); });
    expect_error(ErrorCode::usage, "neither a file nor a folder", [&] { found({"/dev/null"}); });
    expect_error(ErrorCode::model_not_found, "there is no image", [&] { found({at("set/self.png")}); });
    ASSERT_EQ(::mkfifo((folder_ / "set/group.json").c_str(), 0600), 0);
    ASSERT_EQ(::mkfifo((folder_ / "set/metadata.csv").c_str(), 0600), 0);
    EXPECT_EQ(found({at("set")}), "set: set/1.png set/linked.png");
}

TEST_F(ImageSetPlaces, FoldersThatMayNotBeReadAreNamed) {
    if (::geteuid() == 0) GTEST_SKIP() << "permissions do not stop root";
    write({"set/1.png", "set/secret/2.png"});
    fs::permissions(folder_ / "set/secret", fs::perms::none);
    EXPECT_EQ(found({at("set")}), "set: set/1.png");
    const std::vector<UnreadableFile> unreadable = find_images({.places = {at("set")}}).unreadable;
    ASSERT_EQ(unreadable.size(), 1U);
    EXPECT_EQ(unreadable[0].file, folder_ / "set/secret");
    EXPECT_THAT(unreadable[0].reason, testing::HasSubstr("cannot read the folder"));
    expect_error(ErrorCode::model_invalid, "cannot read the folder", [&] { found({at("set/secret")}); });
    fs::permissions(folder_ / "set/secret", fs::perms::owner_all);
}

}  // namespace
}  // namespace gass
