#pragma once

#include <string>
#include <string_view>

namespace gass {

/// Decodes standard base64 with padding; anything else throws ErrorCode::model_invalid.
std::string decode_base64(std::string_view text, std::string_view where);

}  // namespace gass
