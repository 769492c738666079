// sessions [MODEL]: four sets on one engine, one after another and at the same time; also when each sees its
// first step.
#include <gass/engine.h>
#include <gass/group.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr int kSets = 4;

}  // namespace

int main(int argc, char** argv) {
    const gass::Engine engine({.model = argc > 1 ? argv[1] : "mini-turbo"});
    engine.load();
    const gass::Plan plan = engine.plan({.prompt = "a red car", .images = 4});
    engine.generate(plan);  // what comes once for all

    std::vector<double> ratios;
    for (int round = 0; round < 3; ++round) {
        const double begin = now();
        for (int i = 0; i < kSets; ++i) engine.generate(plan);
        const double alone = now() - begin;

        const double together_begin = now();
        std::vector<double> first_step(kSets);
        std::vector<double> end(kSets);
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < kSets; ++i) {
            threads.emplace_back([&, i] {
                gass::Events events;
                events.progress = [&, i](std::string_view, std::size_t done, std::size_t) {
                    if (done == 1 && first_step[i] == 0) first_step[i] = now() - together_begin;
                };
                engine.generate(plan, events);
                end[i] = now() - together_begin;
            });
        }
        threads.clear();
        const double together = now() - together_begin;
        ratios.push_back(together / alone);
        std::printf(
            "one after another %.2f s, at the same time %.2f s: %.2f; the last first step at %.2f s, the "
            "first end at %.2f s\n",
            alone, together, ratios.back(), *std::ranges::max_element(first_step),
            *std::ranges::min_element(end));
    }
    std::ranges::sort(ratios);
    std::printf("median ratio %.2f\n", ratios[ratios.size() / 2]);
}
