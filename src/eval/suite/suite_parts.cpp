#include "eval/suite/suite.h"

#include <algorithm>
#include <cctype>

namespace gass::eval {
namespace {

template <class Part>
const Part* find(const std::vector<Part>& parts, std::string_view id) {
    const auto found =
        std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.id == id; });
    return found == parts.end() ? nullptr : &*found;
}

}  // namespace

const SuiteModel* Suite::find_model(std::string_view id) const {
    return find(models, id);
}

const SuiteMethod* Suite::find_method(std::string_view id) const {
    return find(methods, id);
}

const SuiteMetric* Suite::find_metric(std::string_view id) const {
    return find(metrics, id);
}

std::size_t word_count(std::string_view prompt) {
    std::size_t words = 0;
    bool in_word = false;
    for (const char c : prompt) {
        const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
        if (!is_space && !in_word) ++words;
        in_word = !is_space;
    }
    return words;
}

bool is_in(const SuiteSplit& split, const SuitePrompt& prompt) {
    const std::size_t words = word_count(prompt.text);
    return words >= split.least_words && (split.most_words == 0 || words <= split.most_words);
}

}  // namespace gass::eval
