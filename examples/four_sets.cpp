// Four sets at the same time on one engine: c++ -std=c++20 four_sets.cpp with find_package(gass),
// gass::engine.
#include <gass/engine.h>
#include <gass/error.h>
#include <gass/group.h>

#include <iostream>
#include <string>
#include <thread>
#include <vector>

int main() try {
    const gass::Engine engine({.model = "mini-turbo"});
    const std::vector<std::string> prompts{"a red car", "a dog", "a house", "a sailing boat"};
    std::vector<std::string> lines(prompts.size());
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        threads.emplace_back([&, i] {
            gass::Request request{.prompt = prompts[i], .images = 4};
            request.strength = 0.25 * static_cast<double>(i + 1);
            const gass::Plan plan = engine.plan(request);
            const gass::Group group = engine.generate(plan);
            gass::write_group(group, "set-" + std::to_string(i));
            lines[i] = prompts[i] + ": " + std::to_string(group.images.size()) + " images, Vendi " +
                       std::to_string(group.spread->vendi.value_or(0));
        });
    }
    threads.clear();
    for (const std::string& line : lines) std::cout << line << "\n";
} catch (const gass::Error& error) {
    std::cerr << error.what() << "\n";
    return gass::exit_status(error.code());
}
