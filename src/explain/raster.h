#pragma once

#include "explain/scene.h"

namespace gass::explain {

/// The scene in pixels, `kPixelsPerUnit` for each unit, with smooth edges.
Image to_image(const Scene& scene);

}  // namespace gass::explain
