// What is read of group.json, and what is refused.

#include "explain/group_story.h"
#include "explain/unmoved.h"

#include <gass/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gass::explain {
namespace {

using testing::HasSubstr;

Json parsed(std::string_view text) {
    return parse_json(text, "group.json");
}

GroupStory story_of(std::string_view text) {
    return read_story(parsed(text), "group.json");
}

std::string complaint(std::string_view text) {
    try {
        story_of(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::model_invalid);
        return error.what();
    }
    return "none";
}

TEST(Story, MayBeEmpty) {
    EXPECT_FALSE(story_of("{}").tells_anything());
    EXPECT_FALSE(story_of(R"({"spread": null, "method_steps": []})").tells_anything());
    EXPECT_FALSE(
        story_of(R"({"method_steps": [{"kind": "of another method", "step": 1}]})").tells_anything());
}

TEST(Story, ReadsASelection) {
    const GroupStory story = story_of(R"({"method_steps": [{"kind": "select", "step": 3, "candidates": [
        {"seed": 1, "along": 0.3, "across": -0.1, "kept": true},
        {"seed": 2, "along": null, "across": 0.1, "kept": false, "reason": "matches the prompt less than others"},
        {"seed": 3, "along": 0.2, "across": NaN, "kept": false, "reason": "adds less volume than others"},
        {"seed": 4, "kept": false, "reason": "its embedding is not finite"}]}]})");
    ASSERT_EQ(story.selections.size(), 1U);
    const Selection& selection = story.selections[0];
    EXPECT_EQ(selection.count(Fate::kept), 1U);
    EXPECT_EQ(selection.count(Fate::less_matching), 1U);
    EXPECT_EQ(selection.count(Fate::less_volume), 1U);
    EXPECT_EQ(selection.count(Fate::other), 1U);
    EXPECT_TRUE(selection.candidates[0].place);
    EXPECT_FALSE(selection.candidates[1].place);
    EXPECT_FALSE(selection.candidates[2].place);
}

TEST(Story, ReadsPushesAndExpansions) {
    const GroupStory story =
        story_of(R"({"images": [{"file": "a.png", "seed": 7}, {"file": "b.png", "seed": 9}],
      "method_steps": [
        {"kind": "push", "step": 0, "time": 1, "along": [0.1, 0.2], "target_along": [0.1, 0.3],
         "before": [[0.5, 0.6], [0.7, 0.8]], "target": [[0.5, 0.6], [0.9, 0.8]], "energies": [0.2, 0.1],
         "latent_move": [0, 0.1], "unmoved": [{"image": 0, "reason": "r"}], "seconds": 0.5},
        {"kind": "push", "step": 1, "time": 0.9, "skipped": "an embedding is not finite"},
        {"step": 2, "dependent": {"before": [0.1, null], "target": [0.2, null], "after": [0.15, null]},
         "independent": {"before": [0, null], "target": [0.1, null], "after": [0.05, null]},
         "unmoved": [{"image": 1, "reason": "its embedding was not finite"}], "latent_move": [0.01, 0]},
        {"step": 3, "unmoved": [{"image": 0, "reason": "x"}, {"image": 1, "reason": "x"}]}]})");
    ASSERT_EQ(story.move_steps.size(), 4U);
    EXPECT_EQ(story.move_steps[0].moves[1].target->across, 0.9);
    EXPECT_EQ(story.move_steps[1].skipped, "an embedding is not finite");
    EXPECT_EQ(story.move_steps[2].moves[0].after->along, 0.15);
    EXPECT_FALSE(story.move_steps[2].moves[1].before);
    const auto groups = by_reason(story.move_steps[3]);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(named_images(story, groups[0].images), "images 0 (seed 7), 1 (seed 9)");
}

TEST(Story, NamesWhatIsWrong) {
    EXPECT_THAT(complaint("[]"), HasSubstr("expected a JSON object"));
    EXPECT_THAT(complaint(R"({"prompt": 3})"), HasSubstr("\"prompt\" must be a string"));
    EXPECT_THAT(complaint(R"({"spread": {"along": 3, "across": []}})"), HasSubstr("spread.along"));
    EXPECT_THAT(complaint(R"({"spread": {"along": [1, 2], "across": [1]}})"), HasSubstr("1 entries where 2"));
    EXPECT_THAT(complaint(R"({"spread": {"along": ["a"], "across": [1]}})"), HasSubstr("expected a number"));
    EXPECT_THAT(complaint(R"({"spread": {"along": [1e300], "across": [1]}})"), HasSubstr("too large"));
    EXPECT_THAT(complaint(R"({"images": [{"file": "a", "seed": 1}], "spread": {"along": [], "across": []}})"),
                HasSubstr("0 entries where 1"));
    EXPECT_THAT(complaint(R"({"images": [{"file": "../a.png", "seed": 1}]})"),
                HasSubstr("no name of a file"));
    EXPECT_THAT(complaint(R"({"images": [{"file": "a.png", "seed": -1}]})"), HasSubstr("images[0].seed"));
    EXPECT_THAT(complaint(R"({"method_steps": {}})"), HasSubstr("expected an array"));
    EXPECT_THAT(complaint(R"({"method_steps": [{"kind": "select", "step": 1}]})"),
                HasSubstr("method_steps[0]] the key \"candidates\" is missing"));
    EXPECT_THAT(complaint(R"({"method_steps": [{"kind": "select", "step": 1, "candidates":
                [{"seed": 1, "kept": 1}]}]})"),
                HasSubstr("candidates[0]"));
    EXPECT_THAT(complaint(R"({"method_steps": [{"kind": "push", "step": 1, "along": [1], "before": [[1]],
                "target_along": [1, 2], "target": [[1], [2]]}]})"),
                HasSubstr("2 entries where 1"));
    EXPECT_THAT(complaint(R"({"method_steps": [{"kind": "push", "step": 1, "along": [1], "before": [[1]],
                "target_along": [1], "target": [[1]], "unmoved": [{"image": 5, "reason": ""}]}]})"),
                HasSubstr("image 5 of 1"));
}

TEST(Names, AreShort) {
    EXPECT_EQ(short_method("gass:interval=1,strength=0.5,push=on"), "gass, strength 0.5");
    EXPECT_EQ(short_method("gass-paper:r_dep=0.02,r_ind=0.03,steps=4"), "gass-paper, r_dep 0.02, r_ind 0.03");
    EXPECT_EQ(short_method("none"), "none");
    EXPECT_EQ(short_method("x:"), "x");
    EXPECT_EQ(short_model("/models/mini-flow/"), "mini-flow");
    EXPECT_EQ(short_model("org/name"), "name");
}

}  // namespace
}  // namespace gass::explain
