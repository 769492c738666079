#include "eval/run/fake_suite.h"

#include <fmt/format.h>

#include <span>

namespace gass::eval {

FakeRun::FakeRun(std::size_t prompts, std::int64_t groups) {
    suite.name = "fake";
    suite.models = {{"a", "A", {{"model", "a"}}}, {"b", "B", {{"model", "b"}}}};
    suite.methods = {
        {"none", "none", {"none", "none"}}, {"ig", "ig", {"ig", "ig"}}, {"gass", "gass", {"gass", "gass"}}};
    suite.baseline = "none";
    suite.groups = groups;
    for (std::size_t i = 0; i < prompts; ++i) {
        const std::string text = fmt::format("prompt {}", i);
        suite.prompts.push_back({i, text, text});
    }
    for (const SuiteModel& model : suite.models) {
        recipes.emplace_back();
        for (const SuiteMethod& method : suite.methods)
            recipes.back().push_back({.identity = {{"model", model.id}, {"method", method.id}},
                                      .images = 2,
                                      .starts = method.id == "gass" ? 8 : 2});
    }
    items = plan_of(suite, recipes);
}

MadeGroup fake_group(const WorkItem& item) {
    MadeGroup group;
    group.record = {
        {"gass", "0"},
        {"fingerprint", ""},
        {"settings", Json::object()},
        {"seeds", {1}},
        {"key", item.key},
        {"images",
         {{{"file", "0000.png"}, {"prompt", "a car"}}, {{"file", "0001.png"}, {"prompt", "a car"}}}},
        {"timings", {{"total", 1.0}, {"load", 0.0}}}};
    const auto bytes = std::as_bytes(std::span(item.key));
    group.files.push_back({"0000.png", {bytes.begin(), bytes.end()}});
    const std::string json = group.record.dump();
    const auto text = std::as_bytes(std::span(json));
    group.files.push_back({"group.json", {text.begin(), text.end()}});
    group.features.push_back({kFakeEncoder, 2, 3, {0, 1, 2, static_cast<float>(item.prompt), -1, 0.5F}});
    return group;
}

}  // namespace gass::eval
