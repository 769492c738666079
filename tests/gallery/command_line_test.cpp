#include "gallery/command_line.h"

#include "record/recorded_settings.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <type_traits>

namespace gass::gallery {
namespace {

Record example() {
    Record record;
    record.prompt = "a {red|blue} car";
    record.seeds = {7, 8};
    record.settings.model = "mini-flow";
    record.settings.images = 2;
    record.settings.negative_prompt = "";
    record.settings.method = "none";
    record.settings.scheduler = "default";
    return record;
}

TEST(CommandLine, SaysWhatIsNotBuiltIn) {
    EXPECT_EQ(command_line(example()),
              "gass generate -p 'a {red|blue} car' --images 2 --method none --seed 7");
}

/// Of a setting that is new, too: a recipe without it would make another set.
TEST(CommandLine, SaysEverySettingButWhereAndHowFast) {
    Record record = example();
    std::vector<std::string> missing;
    visit_settings(record.settings, [&]<class Value>(std::string key, std::optional<Value>& value) {
        if constexpr (std::is_same_v<Value, std::string>)
            value = "some";
        else
            value = Value(3);
        std::ranges::replace(key, '_', '-');
        if (command_line(record).find(" --" + key + " ") == std::string::npos) missing.push_back(key);
    });
    EXPECT_THAT(missing,
                testing::ElementsAre("variant", "max-sequence-length", "dtype", "device", "threads",
                                     "max-batch", "offload-to-cpu", "vae-tiling", "vae-slicing", "no-t5"));
}

}  // namespace
}  // namespace gass::gallery
