#pragma once

#include "engine.h"

namespace gass::cli {

/// The flags that say which pictures are looked at, and by which networks.
void add_picture_flags(CLI::App& command, CommandLine& line, PictureOptions& options);

}  // namespace gass::cli
