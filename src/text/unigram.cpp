#include "text/unigram.h"

#include "core/fail.h"
#include "core/quote.h"
#include "text/unicode.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gass {
namespace {

constexpr std::size_t kUnreached = static_cast<std::size_t>(-1);

/// The best way to reach a place in the word: the last piece on it.
struct Step {
    std::size_t from = kUnreached;
    double score = 0;
    std::int32_t id = 0;

    void improve(std::size_t new_from, double new_score, std::int32_t new_id) {
        if (from == kUnreached || new_score > score) *this = {new_from, new_score, new_id};
    }
};

}  // namespace

Unigram::Unigram(std::vector<Piece> pieces, std::int32_t unknown_id, std::string_view where)
    : pieces_(std::move(pieces)), unknown_id_(unknown_id) {
    constexpr std::size_t kLongest = 256;  // longer ones could only serve to make encoding slow
    constexpr double kUnknownPenalty = 10;
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const Piece& piece = pieces_[i];
        if (piece.text.empty() || piece.text.size() > kLongest || !is_utf8(piece.text)) {
            fail(ErrorCode::model_invalid, where, "piece {} must be UTF-8 of 1 to {} bytes, not {}", i,
                 kLongest, in_quotes(piece.text, 40));
        }
        if (!std::isfinite(piece.score)) {
            fail(ErrorCode::model_invalid, where, "the score of piece {} is not a finite number", i);
        }
        lowest = std::min(lowest, piece.score);
        ids_.insert_or_assign(piece.text, static_cast<std::int32_t>(i));
    }
    for (const auto& [text, id] : ids_) trie_.insert(text, id);
    unknown_score_ = lowest - kUnknownPenalty;
}

void Unigram::encode_word(std::string_view word, std::vector<std::int32_t>& ids) const {
    std::vector<Step> steps(word.size() + 1);
    for (std::size_t at = 0; at < word.size();) {
        const std::size_t character = first_code_point(word.substr(at)).size;
        const double score = steps[at].score;
        bool has_single = false;
        trie_.prefixes(word.substr(at), [&](std::size_t length, std::int32_t id) {
            steps[at + length].improve(at, score + pieces_[static_cast<std::size_t>(id)].score, id);
            has_single = has_single || length == character;
        });
        if (!has_single) steps[at + character].improve(at, score + unknown_score_, unknown_id_);
        at += character;
    }
    const std::size_t first_new = ids.size();
    std::size_t end = word.size();
    while (end > 0) {
        std::size_t from = steps[end].from;
        std::int32_t id = steps[end].id;
        if (id == unknown_id_) {
            while (from > 0 && steps[from].id == unknown_id_) from = steps[from].from;
            id = id_of(word.substr(from, end - from)).value_or(unknown_id_);
        }
        ids.push_back(id);
        end = from;
    }
    std::reverse(ids.begin() + static_cast<std::ptrdiff_t>(first_new), ids.end());
}

std::optional<std::int32_t> Unigram::id_of(std::string_view piece) const {
    const auto it = ids_.find(std::string(piece));
    return it == ids_.end() ? std::nullopt : std::optional(it->second);
}

}  // namespace gass
