#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// "1 image", "4 images". `nouns` is for words that take no s: "entries".
std::string counted(std::uint64_t count, std::string_view noun, std::string_view nouns = {});

/// The known name that somebody who wrote this one most likely meant: few letters differ, or it goes on where
/// the other ends. Nothing where none is near.
std::optional<std::string_view> nearest(std::string_view name, const std::vector<std::string_view>& known);

/// The same for a message, to stand behind the name: " (did you mean \"gass\"?)", or nothing.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known);
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

}  // namespace gass
