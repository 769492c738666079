#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace gass {

/// Cuts normalised text into the words that CLIP encodes one by one.
class ClipPattern {
  public:
    ClipPattern();

    void for_each_word(std::string_view text, const std::function<void(std::string_view)>& on_word) const;

  private:
    std::shared_ptr<void> code_;
};

}  // namespace gass
