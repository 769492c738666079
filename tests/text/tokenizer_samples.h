#pragma once

#include "io/file.h"
#include "text/tokenizer_files.h"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gass::test {

using Ids = std::vector<std::int32_t>;

/// The embedded CLIP tokenizer's files.
inline TokenizerFiles embedded_files() {
    return read_tokenizer_files(ModelFolder(std::filesystem::path(GASS_MODELS_DIR) / "mini-clip"));
}

/// One field of a protocol buffer message that holds bytes.
inline std::string proto_bytes(unsigned number, std::string_view content) {
    std::string result(1, static_cast<char>((number << 3U) | 2U));
    for (std::size_t size = content.size();; size >>= 7U) {
        result.push_back(static_cast<char>((size & 0x7FU) | (size > 0x7F ? 0x80U : 0U)));
        if (size <= 0x7F) break;
    }
    return result.append(content);
}

/// A piece as spiece.model holds it; `type` as in sentencepiece_model.proto.
inline std::string proto_piece(std::string_view text, float score, char type = 1) {
    std::string piece = proto_bytes(1, text) + '\x15';
    const auto bits = std::bit_cast<std::uint32_t>(score);
    for (unsigned shift = 0; shift < 32; shift += 8)
        piece.push_back(static_cast<char>((bits >> shift) & 0xFFU));
    piece += {'\x18', type};
    return proto_bytes(1, piece);
}

/// A small T5 model: <pad> 0, </s> 1, <unk> 2, then "▁" 3, "▁a" 4, "b" 5, "▁ab" 6, "bb" 7.
inline std::string small_spiece() {
    return proto_piece("<pad>", 0, 3) + proto_piece("</s>", 0, 3) + proto_piece("<unk>", 0, 2) +
           proto_piece("\u2581", -4) + proto_piece("\u2581a", -2) + proto_piece("b", -3) +
           proto_piece("\u2581ab", -4) + proto_piece("bb", -3.5);
}

inline TokenizerFiles t5_files(std::string spiece) {
    TokenizerFiles files;
    files.sentencepiece = TokenizerFile{"spiece.model", std::move(spiece)};
    return files;
}

}  // namespace gass::test
