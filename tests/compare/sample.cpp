#include "compare/sample.h"

#include <cmath>
#include <limits>

namespace gass {
namespace {

constexpr std::size_t kImages = 8;

const std::string kMarkup =
    "</title></h1><script>alert(1)</script><img src=http://example.com/x.png onerror='alert(2)'>\"&amp;";

std::uint8_t channel(double value) {
    return static_cast<std::uint8_t>(127.5 + 127.5 * std::sin(value));
}

std::vector<std::uint64_t> seeds_from(std::uint64_t first, std::size_t count) {
    std::vector<std::uint64_t> seeds;
    for (std::size_t i = 0; i < count; ++i) seeds.push_back(first + i);
    return seeds;
}

}  // namespace

Image plain_picture(std::uint32_t width, std::uint32_t height, std::uint8_t red, std::uint8_t green,
                    std::uint8_t blue) {
    Image image{width, height, {}};
    for (std::size_t i = 0; i < std::size_t{width} * height; ++i)
        image.rgb.insert(image.rgb.end(), {red, green, blue});
    return image;
}

ComparedGroup sample_group(const std::string& method, std::size_t images, double spread) {
    ComparedGroup group;
    group.method = method;
    group.settings = method + ",interval=0.87889,guidance=1,candidates=4,push=off,select_time=0.75";
    group.seeds = seeds_from(42, images);
    group.seconds = 6.5 + 10 * spread;
    Spread& numbers = group.spread.emplace();
    numbers.vendi = 1.5 + 4 * spread;
    numbers.pairwise = 0.5 * spread;
    numbers.spp = 0.3 * spread;
    numbers.d_dep = 0.1 * spread;
    numbers.d_ind = 0.2 * spread;
    numbers.clip_score = 0.42 - 0.02 * spread;
    for (std::size_t i = 0; i < images; ++i) {
        const auto turn = static_cast<double>(i) * 2.4;
        group.images.push_back(
            plain_picture(128, 128, channel(turn * spread), channel(turn * spread + 2), channel(4)));
        group.files.push_back("prompt-0/" + method + "/" + std::to_string(i) + ".png");
        numbers.along.push_back(0.40 + spread * 0.1 * std::cos(turn));
        numbers.across.push_back(spread * std::sin(turn));
    }
    return group;
}

Comparison sample_comparison() {
    Comparison comparison;
    comparison.model = "mini-flow";
    comparison.guide = "mini-clip";
    comparison.settings.steps = 28;
    comparison.settings.cfg_scale = 4.0;
    comparison.settings.width = 128;
    comparison.settings.height = 128;
    ComparedPrompt prompt{"a red car", {}, seeds_from(42, kImages)};
    prompt.groups.push_back(sample_group("none", kImages, 0.1));
    prompt.groups.push_back(sample_group("gass:strength=0.3", kImages, 0.3));
    prompt.groups.push_back(sample_group("interval", kImages, 0.2));
    ComparedGroup failed;
    failed.method = "gass-paper";
    failed.error = "[gass-paper] needs a guide; name one with --guide";
    prompt.groups.push_back(std::move(failed));
    comparison.prompts.push_back(std::move(prompt));
    return comparison;
}

Comparison hostile_comparison() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Comparison comparison = sample_comparison();
    comparison.model = "/models/" + kMarkup;
    comparison.settings.negative_prompt = kMarkup;
    ComparedPrompt& first = comparison.prompts.front();
    first.prompt = kMarkup + std::string("\0\x01\x1b[31m\xff", 8);
    first.groups[1].method = kMarkup;
    first.groups[1].settings = kMarkup;
    first.groups[2].spread.reset();
    first.groups[3].error = kMarkup;

    ComparedPrompt second{std::string(65536, 'w'), {}, {18446744073709551615U}};
    for (const ComparedGroup& group : first.groups) {
        second.groups.push_back(sample_group(group.method, 1, 0));
        second.groups.back().seeds = {18446744073709551615U};
        second.groups.back().spread->pairwise.reset();
        second.groups.back().seconds = nan;
    }

    ComparedPrompt third{"שלום עולם \u202E 🚗 سيارة حمراء", {}, {}};
    for (const ComparedGroup& group : first.groups) {
        third.groups.push_back(sample_group(group.method, 3, 0.2));
        third.groups.back().images.front() = plain_picture(600, 30, 9, 9, 9);
        third.groups.back().seeds.clear();
        third.groups.back().spread->along[1].reset();
    }
    comparison.prompts.push_back(std::move(second));
    comparison.prompts.push_back(std::move(third));
    return comparison;
}

}  // namespace gass
