#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// A prompt with choices: "a {red|blue} car". Options may be empty and may hold choices themselves, up to 32
/// deep; `\{`, `\|` and `\}` are the characters as such. Braces without a "|" of their own, or without a
/// partner, are text.
///
/// Choices are balanced. A choice of n options goes through blocks of n: each block holds every option once,
/// in an order shuffled by a SplitMix64 sequence that starts from (seed, number of the choice in the text,
/// block). A choice inside an option moves on only when that option is taken, so it is balanced among the
/// images that show it. Any stretch of images that is a multiple of n thus shows each option equally often if
/// it starts with image 0, and the same seed gives the same prompts everywhere.
class PromptTemplate {
  public:
    explicit PromptTemplate(std::string_view text);

    bool has_choices() const { return !choices_.empty(); }
    /// The prompt of one image of a group that starts with this seed.
    std::string expand(std::size_t image_index, std::uint64_t seed) const;

  private:
    static constexpr std::size_t kNoChoice = static_cast<std::size_t>(-1);
    /// Some text and the choice that follows it, if any.
    struct Part {
        std::string text;
        std::size_t choice = kNoChoice;
    };
    using Sequence = std::vector<Part>;
    using Choice = std::vector<Sequence>;  // its options

    void append(std::string& out, const Sequence& parts, std::uint64_t visit, std::uint64_t seed) const;

    Sequence parts_;
    std::vector<Choice> choices_;  // in the order in which they open in the text
};

/// Whether a "{" of the text has no "}".
bool has_unclosed_brace(std::string_view text);

}  // namespace gass
