#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// Tells people what of a prompt does nothing here though it would in other programs, or was meant to:
/// "(red:1.5)", "<lora:…>", a "{" that is never closed. Of each kind only the first is told.
class PromptHints {
  public:
    /// A sentence for each kind that is new in this prompt.
    std::vector<std::string> of(std::string_view prompt);

  private:
    static constexpr std::size_t kKinds = 3;
    std::array<bool, kKinds> told_{};
};

}  // namespace gass
