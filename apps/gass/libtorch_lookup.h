#pragma once

#include <filesystem>

namespace gass::cli {

/// The folder with LibTorch's libraries that gass-engine is to be started with; empty if it finds them by
/// itself: those installed with it, or those that it was built with. An installed gass may have lost them;
/// then GASS_TORCH or the torch of python3 serves, if it is of the same release. Throws what is missing.
std::filesystem::path find_libtorch();

}  // namespace gass::cli
