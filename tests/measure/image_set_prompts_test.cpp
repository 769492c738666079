#include "core/log.h"
#include "measure/images/delimited_text.h"
#include "measure/images/image_set.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace gass {
namespace {

namespace fs = std::filesystem;
using test::expect_error;

class ImageSetPrompts : public testing::Test {
  protected:
    ImageSetPrompts() {
        log::set_level(log::Level::error);
        for (const char* name : {"a/1.png", "a/2.png", "b/1.png", "b/3.png"}) folder_.write(name, "x");
    }
    ~ImageSetPrompts() override { log::set_level(log::Level::warn); }

    std::string at(const std::string& name) const { return (folder_ / name).string(); }

    /// "group: file=prompt …; …", files relative to the test's folder.
    std::string found(const ImageSetRequest& request) const {
        std::string text;
        for (const ImageGroup& group : find_images(request).groups) {
            text += (text.empty() ? "" : "; ") + group.name + ":";
            for (const MeasuredImage& image : group.images)
                text += " " + image.file.lexically_normal().lexically_relative(folder_.path()).string() +
                        "=" + image.prompt;
        }
        return text;
    }
    std::string with_list(const std::string& name, const std::string& content) const {
        folder_.write(name, content);
        return found({.places = {at(name)}});
    }
    std::string with_prompt_file(const std::string& content) const {
        folder_.write("prompts.txt", content);
        return found({.places = {at("a"), at("b")}, .prompt_file = at("prompts.txt")});
    }

    test::TemporaryFolder folder_;
};

TEST_F(ImageSetPrompts, OnePromptIsForAll) {
    EXPECT_EQ(found({.places = {at("a"), at("b")}, .prompt = "cat"}),
              "a: a/1.png=cat a/2.png=cat; b: b/1.png=cat b/3.png=cat");
    folder_.write("sub/x/tabby_cat/1.png", "x");
    EXPECT_EQ(found({.places = {at("sub")}, .prompt = "a {class}, {class}!"}),
              "x/tabby_cat: sub/x/tabby_cat/1.png=a tabby cat, tabby cat!");
    folder_.write("{class}/1.png", "x");
    EXPECT_EQ(found({.places = {at("{class}")}, .prompt = "{class} {class}"}),
              "{class}: {class}/1.png={class} {class}");
    EXPECT_EQ(found({.places = {at("a"), at("b")}, .prompt = "a {class}", .pooled = true}),
              "all: a/1.png=a a a/2.png=a a b/1.png=a b b/3.png=a b");
    expect_error(ErrorCode::usage, "not UTF-8", [&] { found({.places = {at("a")}, .prompt = "\xFF"}); });
    expect_error(ErrorCode::usage, "[`prompt`] is empty",
                 [&] { found({.places = {at("a")}, .prompt = ""}); });
    expect_error(ErrorCode::usage, "not both",
                 [&] { found({.places = {at("a")}, .prompt = "x", .prompt_file = at("prompts.txt")}); });
}

TEST_F(ImageSetPrompts, PicturesInMemoryAreOneGroup) {
    const std::vector<Image> pictures(2);
    const ImageSet set = find_images({.pictures = pictures, .prompt = "a cat"});
    ASSERT_EQ(set.groups.size(), 1U);
    EXPECT_EQ(set.groups[0].name, "pictures");
    ASSERT_EQ(set.image_count(), 2U);
    EXPECT_EQ(set.groups[0].images[1].file, "pictures[1]");
    EXPECT_EQ(set.groups[0].images[1].picture, &pictures[1]);
    EXPECT_EQ(set.groups[0].images[1].prompt, "a cat");
    folder_.write("prompts.txt", "one\ntwo\n");
    EXPECT_EQ(find_images({.pictures = pictures, .prompt_file = at("prompts.txt")}).groups.size(), 2U);
}

TEST_F(ImageSetPrompts, EveryKindOfListIsRead) {
    const std::string wanted = "a cat: a/1.png=a cat b/1.png=a cat; a \"dog\", big: a/2.png=a \"dog\", big";
    EXPECT_EQ(with_list("list.jsonl", R"({"file_name": "a/1.png", "text": "a cat", "id": 3}

{"file_name": "a/2.png", "text": "a \"dog\", big"}
{"file_name": "./b/1.png", "text": "a cat"})"),
              wanted);
    EXPECT_EQ(with_list("list.json", R"([{"image": "a/1.png", "caption": "a cat"},
                   {"path": "a/2.png", "prompt": "a \"dog\", big"}, {"file": "b/1.png", "text": "a cat"}])"),
              wanted);
    EXPECT_EQ(
        with_list("list.csv",
                  "\xEF\xBB\xBFid,prompt,file\r\n1,a cat,a/1.png\r\n2,\"a \"\"dog\"\", big\",a/2.png\r\n"
                  "3,a cat,b/1.png"),
        wanted);
    EXPECT_EQ(with_list("list.tsv", "path\ttext\na/1.png\ta cat\na/2.png\ta \"dog\", big\nb/1.png\ta cat\n"),
              wanted);
    EXPECT_EQ(with_list("abs.csv", "file\n" + at("a/2.png") + "\n"), "a: a/2.png=");
    // The flag wins over the list, which then is one group.
    EXPECT_EQ(
        found({.places = {at("list.csv")}, .prompt = "x"}).substr(folder_.path().filename().string().size()),
        ": a/1.png=x a/2.png=x b/1.png=x");
}

TEST_F(ImageSetPrompts, AListWithoutPromptsIsGroupedByFolder) {
    EXPECT_EQ(with_list("list.csv", "image\nb/1.png\na/2.png\nb/3.png\nb/1.png\n"),
              "a: a/2.png=; b: b/1.png= b/3.png= b/1.png=");
}

TEST_F(ImageSetPrompts, MissingFilesOfAListAreInTheSet) {  // whoever reads them says so
    EXPECT_EQ(with_list("list.csv", "file,text\na/1.png,x\na/9.png,x\na,y\n"),
              "x: a/1.png=x a/9.png=x; y: a=y");
    EXPECT_EQ(with_list("list.jsonl", R"({"file": "gone/9.png"})"), "gone: gone/9.png=");
}

TEST_F(ImageSetPrompts, DamagedListsAreRefused) {
    const auto refused = [&](const std::string& name, const std::string& content, const std::string& part,
                             ErrorCode code = ErrorCode::model_invalid) {
        expect_error(code, part, [&] { with_list(name, content); });
    };
    refused("l.csv", "name,text\n1,2\n",
            "must name a column file_name, file, path, image; it reads \"name, text\"");
    refused("l.csv", "", "must name a column");
    refused("l.csv", "file\n", "names no image", ErrorCode::usage);
    refused("l.csv", "file,text\na/1.png\n", "line 2] 1 column; the first line has 2");
    refused("l.csv", "file,text\na/1.png,\"x\n", "line 2: a quote is never closed");
    refused("l.csv", "file,text\na/1.png,\"x\"y\n", "line 2: text follows a closing quote");
    refused("l.csv", "file,text\na/1.png,\xFF\n", "not UTF-8");
    refused("l.csv", "file,text\n,x\n", "not a file name");
    refused("l.csv", "file,text\na/1.png," + std::string(70'000, 'x') + "\n", "at most 65536");
    refused("l.jsonl", "{\"file\": \"a/1.png\"}\n{", "line 2");
    refused("l.jsonl", "[1]", "expected a JSON object");
    refused("l.jsonl", R"({"text": "x"})", "one of the keys");
    refused("l.jsonl", R"({"file": 3})", "must be a string");
    refused("l.jsonl", R"({"image": {"path": "a/1.png"}})", "must be a string");
    refused("l.jsonl", "{\"file\": \"a\\u0000b\"}", "not a file name");
    refused("l.json", "3", "expected a list of images");
    refused("l.json", "{}", "\"gass\" is missing");
    refused("l.json", "[]", "names no image", ErrorCode::usage);
}

TEST_F(ImageSetPrompts, MetadataInAFolderGivesPrompts) {
    folder_.write("set/cat/1.png", "x");
    folder_.write("set/cat/2.png", "x");
    folder_.write("set/3.png", "x");
    folder_.write("set/metadata.csv",
                  "file_name,text\ncat/1.png,one\ncat/2.png,two\n3.png,three\ngone.png,x\n");
    EXPECT_EQ(found({.places = {at("set")}}),
              "set: set/3.png=three; cat: one: set/cat/1.png=one; cat: two: set/cat/2.png=two");
    folder_.write("set/cat/metadata.jsonl", "{\"file_name\": \"1.png\", \"text\": \"nearer\"}");
    EXPECT_EQ(found({.places = {at("set/")}, .pooled = true}),
              "all: set/3.png=three set/cat/1.png=nearer set/cat/2.png=two");
    folder_.write("set/metadata.csv", "unrelated\n1\n");
    EXPECT_EQ(found({.places = {at("set")}}),
              "set: set/3.png=; cat: nearer: set/cat/1.png=nearer; cat: no prompt: set/cat/2.png=");
    const fs::path before = fs::current_path();
    fs::current_path(folder_ / "set/cat");
    EXPECT_EQ(find_images({.places = {"."}}).groups[0].images[0].prompt, "nearer");
    fs::current_path(before);
}

TEST_F(ImageSetPrompts, APromptFileNamesImagesOrCountsThem) {
    EXPECT_EQ(with_prompt_file("one\n\ntwo\r\nthree\nthree"),
              "a: one: a/1.png=one; a: two: a/2.png=two; b: b/1.png=three b/3.png=three");
    const std::string wanted = "a: a/1.png=x a/2.png=x; b: y: b/1.png=y; b: z: b/3.png=z";
    EXPECT_EQ(with_prompt_file("a/2.png\tx\nb/1.png\ty\n./a/1.png\tx\nb/3.png\tz\n"), wanted);
    EXPECT_EQ(with_prompt_file("# two of each\na/2.png\tx\nb/1.png\ty\n#\n./a/1.png\tx\nb/3.png\tz\n"),
              wanted);
    EXPECT_EQ(with_prompt_file("2.png\tx\nb/1.png\ty\n" + at("a/1.png") + "\tx\n3.png\tz\nother.png\tq\n"),
              wanted);
    folder_.write("elsewhere/p.tsv", "1.png\tx\n2.png\tx\n");  // relative to the place
    EXPECT_EQ(found({.places = {at("a")}, .prompt_file = at("elsewhere/p.tsv")}), "a: a/1.png=x a/2.png=x");
    EXPECT_EQ(found({.places = {at("a/1.png"), at("a/1.png")}, .prompt_file = at("elsewhere/p.tsv")}),
              "a: a/1.png=x a/1.png=x");
}

TEST_F(ImageSetPrompts, APromptFileThatDoesNotFitIsRefused) {
    const auto refused = [&](const std::string& content, const std::string& part,
                             ErrorCode code = ErrorCode::usage) {
        expect_error(code, part, [&] { with_prompt_file(content); });
    };
    refused("one\ntwo\n", "2 lines for 4 images");
    refused("", "0 lines for 4 images");
    refused("one\na/1.png\ttwo\n", "1 of 2 lines read");
    refused("a/1.png\tx\na/2.png\tx\nb/1.png\tx\n", "3 lines for 4 images, but none for");
    refused("a/1.png\tx\na/1.png\ty\n", "occurs twice");
    // Where the file's folder, not the place, decides what "1.png" is.
    folder_.write("p/prompts.txt", "1.png\tx\n2.png\tx\n3.png\tx\n");
    expect_error(ErrorCode::usage, "several images are called \"1.png\"",
                 [&] { found({.places = {folder_.path().string()}, .prompt_file = at("p/prompts.txt")}); });
    refused("\xFF\n\n", "not UTF-8", ErrorCode::model_invalid);
    expect_error(ErrorCode::model_not_found, "No such file",
                 [&] { found({.places = {at("a")}, .prompt_file = at("absent")}); });
}

TEST_F(ImageSetPrompts, LongPromptsMakeShortNames) {
    const std::string first(300, 'x');
    const std::string names = with_prompt_file(first + "1\n" + first + "2\nline\x01\nname\n");
    EXPECT_EQ(find_images({.places = {at("a"), at("b")}, .prompt_file = at("prompts.txt")}).groups.size(),
              4U);
    EXPECT_THAT(names, testing::HasSubstr("a: " + std::string(80, 'x') + "…: a/1.png"));
    EXPECT_THAT(names, testing::HasSubstr("b: line\\x01: b/1.png"));
}

/// What CSV writers do with a field.
std::string quoted(const std::string& field) {
    std::string text = "\"";
    for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + "\"";
}

RC_GTEST_PROP(DelimitedText, WhatIsQuotedReadsBack, (const std::vector<std::vector<std::string>>& drawn)) {
    std::vector<std::vector<std::string>> records;
    std::string text;
    for (const std::vector<std::string>& record : drawn) {
        if (record.empty()) continue;
        records.push_back(record);
        for (std::size_t i = 0; i < record.size(); ++i) text += (i == 0 ? "" : ",") + quoted(record[i]);
        text += *rc::gen::element<std::string>("\n", "\r\n", "\n\n");
    }
    DelimitedText table(text, ',', "file");
    std::vector<std::string> fields;
    for (const std::vector<std::string>& record : records) {
        RC_ASSERT(table.next(fields));
        RC_ASSERT(fields == record);
    }
    RC_ASSERT(!table.next(fields));
}

RC_GTEST_PROP(DelimitedText, AnyTextEnds, ()) {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::element('a', '"', ',', '\n', '\r', '\0', '\t'));
    DelimitedText table(text, ',', "file");
    std::vector<std::string> fields;
    std::size_t bytes = 0;
    try {
        while (table.next(fields)) {
            RC_ASSERT(!fields.empty());
            for (const std::string& field : fields) bytes += field.size();
        }
    } catch (const Error& error) {
        RC_ASSERT(error.code() == ErrorCode::model_invalid);
    }
    RC_ASSERT(bytes <= text.size());
}

}  // namespace
}  // namespace gass
