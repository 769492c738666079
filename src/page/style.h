#pragma once

#include <string_view>

namespace gass::page {

/// The style sheet of the page.
extern const std::string_view kPageStyle;

/// Enlarges a picture at a click; the page is complete without it.
extern const std::string_view kPageScript;
/// Base64 of the script's SHA-256: the page lets no other script run. A browser that refuses ours after a
/// change tells the new one, and so does the test.
extern const std::string_view kPageScriptHash;

}  // namespace gass::page
