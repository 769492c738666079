#include "gallery/sample.h"

#include <cmath>
#include <numeric>

namespace gass {
namespace {

std::uint8_t channel(double value) {
    return static_cast<std::uint8_t>(127.5 + 127.5 * std::sin(value));
}

GroupImage plain_picture(std::uint32_t width, std::uint32_t height, double turn) {
    GroupImage image;
    image.width = width;
    image.height = height;
    for (std::size_t i = 0; i < std::size_t{width} * height; ++i)
        image.rgb.insert(image.rgb.end(), {channel(turn), channel(turn + 2), channel(turn + 4)});
    return image;
}

}  // namespace

const std::string kMarkup =
    "</title></h1><script>alert(1)</script><img src=http://example.com/x.png onerror='alert(2)'>\"&amp;";

Group sample_group(std::size_t images) {
    Group group;
    Spread& spread = group.spread.emplace();
    for (std::size_t i = 0; i < images; ++i) {
        const auto turn = static_cast<double>(i);
        GroupImage image = plain_picture(128, 128, turn);
        image.seed = 42 + i;
        image.place = i;
        image.prompt = "a red car";
        image.axis_places = {images == 1 ? 0.0 : 2 * turn / static_cast<double>(images - 1) - 1};
        group.images.push_back(std::move(image));
        spread.along.emplace_back(0.4 + 0.01 * turn);
        spread.across.emplace_back(0.1 * turn);
    }
    spread.vendi = 3.84;
    spread.spp = 0.147;
    spread.d_dep = 0.039;
    spread.d_ind = 0.108;
    spread.pairwise = 0.445;
    spread.clip_score = 0.438;
    Record& record = group.record;
    record.version = "1.2.3";
    record.prompt = "a red car";
    record.seeds.resize(images);
    std::iota(record.seeds.begin(), record.seeds.end(), 42);
    record.settings = {.model = "models/mini-flow/",
                       .variant = {},
                       .guide = "mini-clip",
                       .vary = "at night|at noon",
                       .negative_prompt = "rain, fog",
                       .images = static_cast<std::int64_t>(images),
                       .steps = 28,
                       .cfg_scale = 4.5,
                       .width = 128,
                       .height = 128,
                       .method = "gass:strength=0.8,interval=0.76,candidates=1",
                       .sampling_method = "euler",
                       .scheduler = "default",
                       .clip_skip = 0,
                       .max_sequence_length = 24,
                       .dtype = "fp32",
                       .device = "cpu",
                       .threads = 2,
                       .max_batch = 8,
                       .offload_to_cpu = false,
                       .vae_tiling = false,
                       .vae_slicing = false,
                       .no_t5 = false,
                       .format = {},
                       .quality = {}};
    return group;
}

Group hostile_group() {
    Group group = sample_group(5);
    Record& record = group.record;
    record.prompt = kMarkup + std::string("\0\x01\x1b[31m", 7) + std::string(65536, 'w');
    record.version = kMarkup;
    record.variation = Variation{3, 0.25};
    record.start_image = StartImage{.file = "/pictures/" + kMarkup, .strength = 0.5, .hash = "h"};
    record.shield = {"/pictures/" + kMarkup};
    record.settings.model = kMarkup;
    record.settings.vary = "<b>a</b>|שלום \u202E عالم";
    record.settings.negative_prompt = kMarkup;
    record.settings.method = kMarkup;
    group.images[0].prompt = kMarkup;
    group.images[1].prompt = std::string(3000, 'w');
    group.images[2].prompt = "שלום עולם \u202E 🚗 سيارة حمراء";
    group.images[3].axis_places = {};
    static_cast<Image&>(group.images[4]) = plain_picture(600, 30, 1);
    for (auto* number : {&group.spread->spp, &group.spread->vendi, &group.spread->pairwise}) number->reset();
    return group;
}

std::vector<std::string> file_names(std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back("000" + std::to_string(i) + ".png");
    return names;
}

}  // namespace gass
