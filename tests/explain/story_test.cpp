// What can be drawn of group.json.

#include "explain/group_story.h"
#include "explain/unmoved.h"
#include "record/candidate.h"
#include "record/group_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gass::explain {
namespace {

GroupStory story_of(std::string_view text) {
    return explain::story_of(read_group(parse_json(text, "group.json"), "group.json"));
}

TEST(Story, MayBeEmpty) {
    EXPECT_FALSE(story_of("{}").tells_anything());
    EXPECT_FALSE(story_of(R"({"spread": null, "method_steps": []})").tells_anything());
    EXPECT_FALSE(
        story_of(R"({"method_steps": [{"kind": "of another method", "step": 1}]})").tells_anything());
    // The paper's method, where it only encodes anew, and methods that nothing is drawn of.
    EXPECT_FALSE(story_of(R"({"method_steps": [{"step": 1, "latent_move": [0.1], "seconds": 1},
        {"kind": "repel", "step": 1}, {"kind": "shield", "step": 1}]})")
                     .tells_anything());
}

TEST(Story, ReadsASelection) {
    const GroupStory story = story_of(R"({"method_steps": [{"kind": "select", "step": 3, "candidates": [
        {"seed": 1, "along": 0.3, "across": -0.1, "kept": true},
        {"seed": 2, "along": null, "across": 0.1, "kept": false, "reason": "matches the prompt less than others"},
        {"seed": 3, "along": 0.2, "across": NaN, "kept": false, "reason": "adds less volume than others"},
        {"seed": 4, "kept": false, "reason": "its embedding is not finite"}]}]})");
    ASSERT_EQ(story.selections.size(), 1U);
    const Selection& selection = story.selections[0];
    EXPECT_EQ(count_of(selection, CandidateFate::kept), 1U);
    EXPECT_EQ(count_of(selection, CandidateFate::less_matching), 1U);
    EXPECT_EQ(count_of(selection, CandidateFate::less_volume), 1U);
    EXPECT_EQ(count_of(selection, CandidateFate::not_seen), 1U);
    EXPECT_TRUE(place_of(selection.candidates[0]));
    EXPECT_FALSE(place_of(selection.candidates[1]));
    EXPECT_FALSE(place_of(selection.candidates[2]));
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

}  // namespace
}  // namespace gass::explain
