#include "page/shown.h"

#include "core/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gass::page {

std::string shown(std::optional<double> value, int decimals) {
    if (!value) return "–";
    const std::string text = fmt::format("{:.{}f}", std::abs(*value), decimals);
    const bool is_zero = text.find_first_not_of("0.") == std::string::npos;
    return *value < 0 && !is_zero ? "−" + text : text;
}

std::vector<bool> best_of(const std::vector<std::optional<double>>& values, int decimals,
                          bool more_is_better) {
    std::optional<double> best;
    std::optional<double> worst;
    for (const std::optional<double>& value : values) {
        if (!value) continue;
        const auto [low, high] = std::minmax({*value, best.value_or(*value)});
        best = more_is_better ? high : low;
        const auto [lowest, highest] = std::minmax({*value, worst.value_or(*value)});
        worst = more_is_better ? lowest : highest;
    }
    std::vector<bool> result(values.size(), false);
    // People compare what they read: values that are shown alike are marked alike.
    const std::string text = shown(best, decimals);
    if (text == shown(worst, decimals)) return result;
    for (std::size_t i = 0; i < values.size(); ++i)
        result[i] = values[i] && shown(values[i], decimals) == text;
    return result;
}

std::string beginning(std::string_view text, std::size_t max_characters) {
    std::size_t end = 0;
    std::size_t before_last = 0;
    for (std::size_t count = 0; count < max_characters && end < text.size(); ++count) {
        before_last = end;
        end += std::max<std::size_t>(1, utf8_sequence_length(text.substr(end)));
    }
    if (end == text.size()) return std::string(text);
    return std::string(text.substr(0, before_last)) + "…";
}

}  // namespace gass::page
