#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// One entry of a unigram vocabulary.
struct Piece {
    enum class Kind { ordinary, control, user_defined };

    std::string text;
    double score;
    Kind kind = Kind::ordinary;
};

/// What we need of a spiece.model file. Read by hand: the SentencePiece library gives no access to the
/// normalisation rules and follows their pointers unchecked.
struct SentencePieceModel {
    std::vector<Piece> pieces;
    std::string charsmap;
};

SentencePieceModel parse_sentencepiece_model(std::string_view bytes, std::string_view where);

}  // namespace gass
