#include "gallery/command_line.h"

#include "core/settings.h"
#include "record/record_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace gass::gallery {
namespace {

// Where and how fast a set was made is no part of its recipe.
constexpr std::array kLeftOut{"device", "dtype", "threads", "max_batch", "offload_to_cpu", "vae_slicing"};

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

/// The shortest way to say which seeds: the first, where the others count up from it.
template <class Add>
void add_seeds(const Record& record, const Add& add) {
    const std::vector<std::uint64_t>& seeds = record.seeds;
    const bool is_same =
        std::ranges::all_of(seeds, [&](std::uint64_t seed) { return seed == seeds.front(); });
    bool counts_up = true;
    for (std::size_t i = 0; i < seeds.size(); ++i) counts_up = counts_up && seeds[i] == seeds.front() + i;
    if (record.variation && record.variation->strength > 0 ? is_same : counts_up)
        add("seed", fmt::format("{}", seeds.front()));
    else
        add("seeds", fmt::format("{}", fmt::join(seeds, ",")));
}

/// What --shield took: the picture, or the folder that has them all.
std::string shield_argument(const std::vector<std::string>& files) {
    namespace fs = std::filesystem;
    if (files.size() == 1) return files.front();
    const fs::path first = fs::path(files.front()).parent_path();
    auto end = first.end();
    for (const std::string& file : files) {
        const fs::path folder = fs::path(file).parent_path();
        const auto [own, other] = std::mismatch(first.begin(), end, folder.begin(), folder.end());
        end = own;
    }
    fs::path common;
    for (auto part = first.begin(); part != end; ++part) common /= *part;
    return common.string();
}

}  // namespace

std::vector<std::string> command_words(const Record& record) {
    std::vector<std::string> words{"gass", "generate", "-p", shell_word(record.prompt)};
    const auto add = [&](std::string_view key, std::string_view value) {
        words.push_back(flag_of(key));
        words.push_back(shell_word(value));
    };
    for (const auto& [key, value] : texts_of(record.settings)) {
        if (std::ranges::find(kLeftOut, key) != kLeftOut.end()) continue;
        if (find_setting(key)->type != SettingType::boolean) {
            if (!value.empty()) add(key, value);
        } else if (value == "true") {
            words.push_back(flag_of(key));
        }
    }
    if (!record.shield.empty()) add("shield", shield_argument(record.shield));
    add_seeds(record, add);
    if (const auto& variation = record.variation) {
        add("variation_seed", fmt::format("{}", variation->seed));
        add("variation_strength", fmt::format("{}", variation->strength));
    }
    if (const auto& start = record.start_image) {
        add("init_image", start->file);
        add("denoise", fmt::format("{}", start->strength));
    }
    return words;
}

}  // namespace gass::gallery
