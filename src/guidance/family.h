#pragma once

namespace gass {

/// What a denoiser was trained to predict along: the two kinds answer differently to the same means.
enum class Family { flow, diffusion };

}  // namespace gass
