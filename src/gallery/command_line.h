#pragma once

#include <gass/record.h>

#include <string>
#include <vector>

namespace gass::gallery {

/// The command that makes a recorded set again, word by word, each as a shell takes it: "gass", "generate",
/// "-p", "'a red car'" …. Every parameter of the method stands in it, and every setting that decides the
/// images, so that it gives the same ones when defaults have changed.
std::vector<std::string> command_words(const Record& record);

}  // namespace gass::gallery
