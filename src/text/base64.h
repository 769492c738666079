#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace gass {

/// Decodes standard base64 with padding; anything else throws ErrorCode::model_invalid.
std::string decode_base64(std::string_view text, std::string_view where);

/// Standard base64 with padding, in one line.
std::string encode_base64(std::span<const std::byte> bytes);

}  // namespace gass
