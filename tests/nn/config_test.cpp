#include "nn/config.h"

#include "support/expect_error.h"

namespace gass::nn {
namespace {

void expect_refused(const char* json, const char* part, const std::function<void(ConfigReader&)>& read) {
    const Json config = parse_json(json, "config.json");
    ConfigReader reader(config, "config.json");
    test::expect_error(ErrorCode::model_invalid, part, [&] { read(reader); });
}

TEST(Config, ReadsWhatIsThereAndFallsBack) {
    const Json config =
        parse_json(R"({"a":3,"b":2.5,"c":true,"d":"x","e":[1,2],"f":7,"g":null,"h":["p"]})", "config.json");
    ConfigReader reader(config, "config.json");
    EXPECT_EQ(reader.integer("a"), 3);
    EXPECT_EQ(reader.number("b"), 2.5);
    EXPECT_TRUE(reader.boolean("c"));
    EXPECT_EQ(reader.text("d"), "x");
    EXPECT_EQ(reader.integers("e"), (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(reader.integers("f"), (std::vector<std::int64_t>{7}));
    EXPECT_EQ(reader.integer("g", 5), 5);
    EXPECT_EQ(reader.texts("h"), (std::vector<std::string>{"p"}));
    EXPECT_NO_THROW(reader.require("g", {1}));
    EXPECT_NO_THROW(reader.require("a", {2, 3}));
    EXPECT_NO_THROW(reader.finish());
}

TEST(Config, RefusesHostileValues) {
    expect_refused("{}", "\"layers\" is missing", [](ConfigReader& r) { r.count("layers"); });
    expect_refused(R"({"layers":1000000000})", "must be 1 to 512",
                   [](ConfigReader& r) { r.count("layers"); });
    expect_refused(R"({"layers":-1})", "must be 1 to 512", [](ConfigReader& r) { r.count("layers"); });
    expect_refused(R"({"layers":18446744073709551615})", "must be 1 to 512",
                   [](ConfigReader& r) { r.count("layers"); });
    expect_refused(R"({"width":1e9})", "must be a whole number", [](ConfigReader& r) { r.integer("width"); });
    expect_refused(R"({"width":"3"})", "must be a whole number", [](ConfigReader& r) { r.integer("width"); });
    expect_refused(R"({"sizes":[1,0]})", "must be 1 to", [](ConfigReader& r) { r.integers("sizes"); });
    expect_refused(R"({"eps":"x"})", "must be a number", [](ConfigReader& r) { r.number("eps"); });
    expect_refused(R"({"norm":"strange"})", "\"norm\" = \"\"strange\"\" is not supported",
                   [](ConfigReader& r) { r.require("norm", {"rms_norm"}); });
}

}  // namespace
}  // namespace gass::nn
