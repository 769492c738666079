// What is read of group.json, and what is refused.

#include "record/group_json.h"
#include "support/expect_error.h"

namespace gass {
namespace {

RecordedGroup group_of(std::string_view text) {
    return read_group(parse_json(text, "group.json"), "group.json");
}

TEST(GroupJson, MayLeaveOutEverything) {
    for (const char* text : {"{}", R"({"spread": null, "method_steps": []})"}) {
        const RecordedGroup group = group_of(text);
        EXPECT_FALSE(group.spread);
        EXPECT_TRUE(group.method_steps.empty());
        EXPECT_TRUE(group.pictures.empty());
    }
}

TEST(GroupJson, NamesWhatIsWrong) {
    const auto refused = [](std::string_view text, const std::string& part) {
        test::expect_error(ErrorCode::model_invalid, part, [&] { group_of(text); });
    };
    refused("[]", "expected a JSON object");
    refused(R"({"prompt": 3})", "\"prompt\" must be a string");
    refused(R"({"settings": []})", "[group.json: settings]");
    refused(R"({"spread": {"along": 3, "across": []}})", "spread.along");
    refused(R"({"images": [{"file": "a", "seed": 1}], "spread": {"along": [], "across": []}})",
            "0 entries where 1");
    refused(R"({"images": [{"file": "../a.png", "seed": 1}]})", "not the name of a file");
    refused(R"({"images": [{"file": "a.png", "seed": -1}]})", "images[0].seed");
    refused(R"({"method_steps": {}})", "expected an array");
    refused(R"({"method_steps": [{"kind": "select", "step": 1}]})",
            "method_steps[0]] the key \"candidates\" is missing");
}

}  // namespace
}  // namespace gass
