#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gass {

/// The `parameters` text that A1111's web UI writes into images and that galleries and other tools read:
///
///     prompt, any number of lines
///     Negative prompt: any number of lines
///     Steps: 28, Sampler: Euler, Group seeds: "1,2,3"
///
/// The format cannot tell every content from its markup. `parse_infotext(format_infotext(x)) == x` holds if
///  - no line of the prompt starts with "Negative prompt:" (spaces before it do not help), and
///  - there are three fields or more; or there are none, and the last line that is not blank does not itself
///  look
///    like three fields.
/// Otherwise the parser splits where A1111 would. Images of ours carry the same in JSON under `gass`, which
/// decides.
struct Infotext {
    std::string prompt;
    std::string negative_prompt;
    std::vector<std::pair<std::string, std::string>> fields;  ///< in order; a key may occur twice

    bool operator==(const Infotext&) const = default;
};

/// Values that hold a comma, a colon, a control character, or a space or quote at an end, become JSON
/// strings. One or two fields, which readers would take for a part of the prompt, and keys that do not match
/// `\w[\w \-/]+` throw usage.
std::string format_infotext(const Infotext& info);

/// Never fails: what is not markup is prompt. Unlike A1111, spaces around lines are kept. Takes linear time.
Infotext parse_infotext(std::string_view text);

}  // namespace gass
