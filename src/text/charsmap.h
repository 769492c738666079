#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// SentencePiece's precompiled normalisation rules, applied as Hugging Face tokenizers applies them: by
/// user-perceived character, and by the shortest rule that fits. SentencePiece itself takes the longest, and
/// trusts the file.
class Charsmap {
  public:
    /// No rules: every text stays as it is.
    Charsmap() = default;
    /// `bytes` is the file's: a double-array trie and the replacements that it points to.
    Charsmap(std::string_view bytes, std::string_view where);

    std::string normalize(std::string_view utf8) const;

  private:
    std::optional<std::string_view> replacement(std::string_view part) const;
    std::uint32_t unit(std::size_t at) const;
    [[noreturn]] void fail_damaged() const;
    void append(std::string_view grapheme, std::string& to) const;

    std::string where_;
    std::vector<std::uint32_t> trie_;
    std::string replacements_;
};

}  // namespace gass
