#include "core/json.h"

#include "support/expect_error.h"

namespace gass {
namespace {

using test::expect_error;

Json parse(const std::string& text) {
    return parse_json(text, "file.json");
}

void expect_refused(const std::string& text, const std::string& part) {
    expect_error(ErrorCode::model_invalid, part, [&] { parse(text); });
}

TEST(Json, KeepsValuesAndTheirOrder) {
    const std::string text = R"({"b":[1,-2,2.5,null,true],"a":{"z":"é","y":{}},"c":[]})";
    EXPECT_EQ(parse(text).dump(), text);
    EXPECT_EQ(parse("3").dump(), "3");
}

TEST(Json, MakesObjectsOfManyMembers) {
    std::vector<std::pair<std::string, Json>> members;
    constexpr int kMany = 200'000;  // which one by one would take minutes
    for (int i = 0; i < kMany; ++i) members.emplace_back(std::to_string(i), i);
    members.emplace_back("7", "again");
    const Json object = json_object(members);
    EXPECT_EQ(object.size(), static_cast<std::size_t>(kMany));
    EXPECT_EQ(object.front(), 0);
    EXPECT_EQ(object.at("7"), "again");
}

TEST(Json, RefusesWhatTheUsualParserLetsPass) {
    expect_refused(R"({"a":1,"a":2})", "\"a\" occurs twice");
    expect_refused(R"([{"x":{"a":1,"b":2,"a":3}}])", "occurs twice");
    expect_refused(std::string(100, '[') + std::string(100, ']'), "nested deeper");
    expect_refused(std::string(1'000'000, '['), "nested deeper");
}

TEST(Json, NamesTheFileAndThePlace) {
    expect_refused("{\"a\": }", "[file.json] not valid JSON: parse error at line 1, column 7");
    expect_refused("", "not valid JSON");
    expect_refused("{\"a\":\"\xff\"}", "ill-formed UTF-8");
    expect_refused("{} x", "not valid JSON");
    expect_refused("[1e999]", "number overflow");
}

TEST(Json, TakesPythonsWordsForNotGiven) {
    EXPECT_EQ(parse(R"({"a":-Infinity,"b":[NaN, Infinity],"c":"-Infinity \\\" NaN"})").dump(),
              R"({"a":null,"b":[null,null],"c":"-Infinity \\\" NaN"})");
    expect_refused("[-Infinite]", "not valid JSON");
    expect_refused("[NaN1]", "not valid JSON");
    expect_refused("[-]", "not valid JSON");
    std::string many = "[0";
    for (int i = 0; i < 1'000'000; ++i) many += ",NaN";
    EXPECT_EQ(parse(many + "]").size(), 1'000'001U);
}

TEST(Json, IsShownWithoutControlCharactersAndWhateverItHolds) {
    const Json json{{"a", "\x1b\x7f\xc2\x9b\xc3\xa9"}, {"path", "\xff"}};
    EXPECT_EQ(shown(json),
              "{\n  \"a\": \"\\u001b\\u007f\\u009b\xc3\xa9\",\n"
              "  \"path\": \"\xef\xbf\xbd\"\n}\n");
    EXPECT_EQ(parse_json(shown(json), "here").at("a"), json.at("a"));
}

TEST(Json, ReaderAsksForMembersByName) {
    const Json value = parse(R"({"name":"x","nothing":null,"number":3})");
    JsonReader reader(value, "file.json");
    EXPECT_EQ(reader.string("name"), "x");
    EXPECT_EQ(reader.find("nothing"), nullptr);
    EXPECT_EQ(reader.find("absent"), nullptr);
    expect_error(ErrorCode::model_invalid, "\"absent\" is missing", [&] { reader.at("absent"); });
    expect_error(ErrorCode::model_invalid, "unknown key \"number\"", [&] { reader.finish(); });
    expect_error(ErrorCode::model_invalid, "must be a string", [&] { reader.string("number"); });
    EXPECT_NO_THROW(reader.finish());
    expect_error(ErrorCode::model_invalid, "expected a JSON object", [] { JsonReader(Json::array(), "x"); });
}

}  // namespace
}  // namespace gass
