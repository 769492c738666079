#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gass {

// An XMP packet is where formats without named texts have room for what a program wants to say of its own: it
// is UTF-8, JPEG and WebP both have a place for it, and editors that rewrite a picture keep the properties
// that they do not know.

/// A packet with one property, `gass:record`. It is well-formed XML for every text that XML can hold, a JSON
/// document for instance; `parse_xmp` gives back others, too, but for NUL.
std::string make_xmp(std::string_view record);

/// What the property of that name says, in a packet of ours or as other programs write it again, as an
/// element or as an attribute. A damaged packet, or one without it, counts as absent.
std::optional<std::string> parse_xmp(std::span<const std::byte> packet);

}  // namespace gass
