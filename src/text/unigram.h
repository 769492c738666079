#pragma once

#include "text/byte_trie.h"
#include "text/sentencepiece_model.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gass {

/// A unigram language model of pieces: cuts a word where the sum of the pieces' scores is largest. Computes
/// in double precision and breaks ties as Hugging Face tokenizers does; SentencePiece's own float sums differ
/// in rare words.
class Unigram {
  public:
    /// Refuses an empty piece, one longer than 256 bytes, one that is not UTF-8, and a score that is not
    /// finite.
    Unigram(std::vector<Piece> pieces, std::int32_t unknown_id, std::string_view where);

    /// Appends the pieces of one word; neighbouring unknown characters become one unknown token.
    void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const;

    std::optional<std::int32_t> id_of(std::string_view piece) const;
    std::size_t size() const { return pieces_.size(); }
    const std::vector<Piece>& pieces() const { return pieces_; }

  private:
    std::vector<Piece> pieces_;
    std::unordered_map<std::string, std::int32_t> ids_;
    ByteTrie trie_;
    std::int32_t unknown_id_;
    double unknown_score_ = 0;
};

}  // namespace gass
