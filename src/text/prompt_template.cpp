#include "text/prompt_template.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gass {
namespace {

constexpr std::size_t kMaxDepth = 32;

/// A brace or bar that is not escaped.
struct Mark {
    std::size_t position = 0;
    std::size_t owner = 0;   // for "|" and "}": the mark of the "{" it belongs to, itself if there is none
    bool is_choice = false;  // for "{": has a partner, and a bar of its own
};

bool is_mark(char c) {
    return c == '{' || c == '|' || c == '}';
}

bool is_escape(std::string_view text, std::size_t position) {
    return text[position] == '\\' && position + 1 < text.size() && is_mark(text[position + 1]);
}

/// Every mark of the text, and which belong together.
std::vector<Mark> find_marks(std::string_view text) {
    std::vector<Mark> marks;
    std::vector<std::size_t> open;  // the marks of "{" without a partner so far
    std::vector<bool> has_bar;      // of each mark
    for (std::size_t position = 0; position < text.size(); ++position) {
        if (is_escape(text, position)) {
            ++position;
            continue;
        }
        const char c = text[position];
        if (!is_mark(c)) continue;
        const std::size_t self = marks.size();
        marks.push_back({position, open.empty() || c == '{' ? self : open.back(), false});
        has_bar.push_back(false);
        if (c == '{') {
            open.push_back(self);
        } else if (!open.empty()) {
            if (c == '|') {
                has_bar[open.back()] = true;
            } else {
                marks[open.back()].is_choice = has_bar[open.back()];
                open.pop_back();
            }
        }
    }
    return marks;
}

/// Sebastiano Vigna's SplitMix64.
class SplitMix64 {
  public:
    explicit SplitMix64(std::uint64_t state) : state_(state) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }
    /// 0 to count - 1; for counts below 2^32.
    std::size_t below(std::size_t count) {
        return static_cast<std::size_t>(((next() >> 32U) * count) >> 32U);
    }

  private:
    std::uint64_t state_;
};

/// The option that a choice takes at a place of a block.
std::size_t option_at(std::size_t count, std::uint64_t seed, std::size_t choice, std::uint64_t block,
                      std::size_t place) {
    const std::uint64_t of_choice = SplitMix64(SplitMix64(seed).next() ^ choice).next();
    SplitMix64 random(of_choice ^ block);
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    return order[place];
}

}  // namespace

PromptTemplate::PromptTemplate(std::string_view text) {
    const std::vector<Mark> marks = find_marks(text);
    struct Open {
        std::size_t mark;
        std::size_t choice;
    };
    std::vector<Open> open;
    std::size_t next_mark = 0;
    // The sequence that text is being added to. Options move as choices are added, so it is looked up anew.
    const auto sequence = [&]() -> Sequence& {
        return open.empty() ? parts_ : choices_[open.back().choice].back();
    };
    const auto add = [&](char c) {
        Sequence& parts = sequence();
        if (parts.empty() || parts.back().choice != kNoChoice) parts.emplace_back();
        parts.back().text += c;
    };
    for (std::size_t position = 0; position < text.size(); ++position) {
        if (is_escape(text, position)) {
            add(text[++position]);
            continue;
        }
        if (next_mark == marks.size() || marks[next_mark].position != position) {
            add(text[position]);
            continue;
        }
        const std::size_t self = next_mark++;
        const Mark& mark = marks[self];
        if (mark.is_choice && open.size() < kMaxDepth) {
            Sequence& parts = sequence();
            if (parts.empty() || parts.back().choice != kNoChoice) parts.emplace_back();
            parts.back().choice = choices_.size();
            open.push_back({self, choices_.size()});
            choices_.push_back(Choice(1));
        } else if (open.empty() || mark.owner != open.back().mark || mark.owner == self) {
            add(text[position]);  // of a choice that is too deep, or of none
        } else if (text[position] == '|') {
            choices_[open.back().choice].emplace_back();
        } else {
            open.pop_back();
        }
    }
}

std::string PromptTemplate::expand(std::size_t image_index, std::uint64_t seed) const {
    std::string out;
    append(out, parts_, image_index, seed);
    return out;
}

bool has_unclosed_brace(std::string_view text) {
    const std::vector<Mark> marks = find_marks(text);
    std::size_t open = 0;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const char c = text[marks[i].position];
        if (c == '{') ++open;
        if (c == '}' && marks[i].owner != i) --open;
    }
    return open > 0;
}

/// `visit`: how many images before this one showed the sequence.
void PromptTemplate::append(std::string& out, const Sequence& parts, std::uint64_t visit,
                            std::uint64_t seed) const {
    for (const Part& part : parts) {
        out += part.text;
        if (part.choice == kNoChoice) continue;
        const Choice& options = choices_[part.choice];
        const std::uint64_t block = visit / options.size();
        const std::size_t option = option_at(options.size(), seed, part.choice, block,
                                             static_cast<std::size_t>(visit % options.size()));
        // Each earlier block took this option once.
        append(out, options[option], block, seed);
    }
}

}  // namespace gass
