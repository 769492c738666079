#include "text/sentencepiece_model.h"

#include "core/fail.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace gass {
namespace {

/// One field of a protocol buffer message; `bytes` for strings and messages, `number` for the rest.
struct Field {
    std::uint64_t number;
    std::uint64_t value = 0;
    std::string_view bytes;
};

/// Walks over the fields of one protocol buffer message.
class MessageReader {
  public:
    MessageReader(std::string_view bytes, std::string_view where) : rest_(bytes), where_(where) {}

    std::optional<Field> next() {
        if (rest_.empty()) return std::nullopt;
        const std::uint64_t tag = varint();
        Field field{.number = tag >> 3U, .value = 0, .bytes = {}};
        switch (tag & 7U) {
            case 0:
                field.value = varint();
                break;
            case 1:
                field.value = little_endian(take(8));
                break;
            case 2:
                field.bytes = take(varint());
                break;
            case 5:
                field.value = little_endian(take(4));
                break;
            default:
                fail_damaged();
        }
        return field;
    }

  private:
    [[noreturn]] void fail_damaged() const {
        fail(ErrorCode::model_invalid, where_, "not a SentencePiece model, or a damaged one");
    }

    std::string_view take(std::uint64_t count) {
        if (count > rest_.size()) fail_damaged();
        const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(count));
        rest_.remove_prefix(taken.size());
        return taken;
    }

    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = static_cast<unsigned char>(take(1).front());
            value |= std::uint64_t{byte & 0x7FU} << shift;
            if (byte < 0x80) return value;
        }
        fail_damaged();
    }

    static std::uint64_t little_endian(std::string_view bytes) {
        std::uint64_t value = 0;
        for (std::size_t i = bytes.size(); i-- > 0;)
            value = (value << 8U) | static_cast<unsigned char>(bytes[i]);
        return value;
    }

    std::string_view rest_;
    std::string_view where_;
};

// Field numbers of sentencepiece_model.proto.
constexpr std::uint64_t kModelPieces = 1;
constexpr std::uint64_t kModelNormalizer = 3;
constexpr std::uint64_t kPieceText = 1;
constexpr std::uint64_t kPieceScore = 2;
constexpr std::uint64_t kPieceType = 3;
constexpr std::uint64_t kNormalizerCharsmap = 2;

Piece parse_piece(std::string_view bytes, std::string_view where) {
    constexpr std::uint64_t kControl = 3;
    constexpr std::uint64_t kUserDefined = 4;
    Piece piece{.text = {}, .score = 0};
    MessageReader reader(bytes, where);
    while (const auto field = reader.next()) {
        if (field->number == kPieceText) piece.text = field->bytes;
        if (field->number == kPieceScore) {
            piece.score = double{std::bit_cast<float>(static_cast<std::uint32_t>(field->value))};
        }
        if (field->number == kPieceType && field->value == kControl) piece.kind = Piece::Kind::control;
        if (field->number == kPieceType && field->value == kUserDefined)
            piece.kind = Piece::Kind::user_defined;
    }
    return piece;
}

}  // namespace

SentencePieceModel parse_sentencepiece_model(std::string_view bytes, std::string_view where) {
    SentencePieceModel model;
    MessageReader reader(bytes, where);
    while (const auto field = reader.next()) {
        if (field->number == kModelPieces) model.pieces.push_back(parse_piece(field->bytes, where));
        if (field->number != kModelNormalizer) continue;
        MessageReader normalizer(field->bytes, where);
        while (const auto rule = normalizer.next()) {
            if (rule->number == kNormalizerCharsmap) model.charsmap = rule->bytes;
        }
    }
    return model;
}

}  // namespace gass
