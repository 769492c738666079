#pragma once

#include "plot/scene.h"

#include <filesystem>

namespace gass::explain {

/// Throws usage if the name ends in neither .svg nor .png, or if there is something of that name that is no
/// earlier drawing of ours: nobody's files are overwritten.
void check_drawing_path(const std::filesystem::path& path);

/// Writes the scene as SVG or PNG, by the name's ending; whole or not at all.
void write_drawing(const std::filesystem::path& path, const plot::Scene& scene);

}  // namespace gass::explain
