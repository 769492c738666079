#include "gallery/command_line.h"

#include "core/settings.h"
#include "record/record_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace gass::gallery {
namespace {

// Where and how fast a set was made is no part of its recipe.
constexpr std::array<std::string_view, 10> kLeftOut{
    "variant",   "max_sequence_length", "dtype",      "device",      "threads",
    "max_batch", "offload_to_cpu",      "vae_tiling", "vae_slicing", "no_t5"};

/// A word of a command, in single quotes where a shell would take it apart.
std::string shell_word(std::string_view text) {
    constexpr std::string_view kPlain = "_-+=:,./@%";
    const bool is_plain = !text.empty() && std::ranges::all_of(text, [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               kPlain.find(c) != std::string_view::npos;
    });
    if (is_plain) return std::string(text);
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += c;
    }
    return quoted + "'";
}

std::string long_flag(std::string_view key) {
    std::string flag(2, '-');
    flag += key;
    std::ranges::replace(flag, '_', '-');
    return flag;
}

/// The shortest way to say which seeds: the first, where the others count up from it.
std::string seeds_argument(const Record& record) {
    const std::vector<std::uint64_t>& seeds = record.seeds;
    const bool is_same =
        std::ranges::all_of(seeds, [&](std::uint64_t seed) { return seed == seeds.front(); });
    bool counts_up = true;
    for (std::size_t i = 0; i < seeds.size(); ++i) counts_up = counts_up && seeds[i] == seeds.front() + i;
    if (record.variation && record.variation->strength > 0 ? is_same : counts_up)
        return fmt::format("{} {}", long_flag("seed"), seeds.front());
    return fmt::format("{} {}", long_flag("seeds"), fmt::join(seeds, ","));
}

}  // namespace

std::string command_line(const Record& record) {
    std::string command = fmt::format("gass generate -p {}", shell_word(record.prompt));
    for (const auto& [key, text] : texts_of(record.settings)) {
        if (std::ranges::find(kLeftOut, key) != kLeftOut.end() || text == find_setting(key)->built_in)
            continue;
        command += fmt::format(" {} {}", long_flag(key), shell_word(text));
    }
    command += " " + seeds_argument(record);
    if (record.variation) {
        command += fmt::format(" {} {} {} {}", long_flag("variation_seed"), record.variation->seed,
                               long_flag("variation_strength"), record.variation->strength);
    }
    if (const auto& start = record.start_image) {
        command += fmt::format(" {} {} {} {}", long_flag("init_image"), shell_word(start->file),
                               long_flag("denoise"), start->strength);
    }
    return command;
}

}  // namespace gass::gallery
