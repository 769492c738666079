#pragma once

#include "sphere/axes.h"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>

// Where the images of a group should go. No target is on the sphere yet: unit_vectors() puts it there, which
// is the paper's re-normalisation and its own ablation.
namespace gass::sphere {

/// How far each image of a group is to move along the two directions of a basis. [B] each, fp64 on the CPU
struct Shifts {
    at::Tensor dependent;
    at::Tensor independent;
};

/// Eq. 5: uniform in [−r, r), the whole group's dependent ones first.
Shifts draw_shifts(std::int64_t images, double dependent_range, double independent_range,
                   at::Generator generator);

/// Eq. 6
at::Tensor expanded(const at::Tensor& embeddings, const Basis& basis, const Shifts& shifts);

/// A ladder along each of the orthonormal axes [k, d]: rungs stand evenly from `half_width` below the group's
/// mean projection to as much above it, the image of rank n has the n-th, and goes to it unless it is farther
/// from the mean already. So ranks stay and no image moves inwards. The mean itself may move: images that
/// stand beyond their rungs do not make room for it.
///
/// Images with equal projections rank by their other coordinates; only equal images rank by their index.
at::Tensor on_ladder(const at::Tensor& embeddings, const at::Tensor& axes, double half_width);

/// The group's deviations from its mean along the orthonormal axes [k, d], times 1 + gain. The mean stays.
at::Tensor amplified(const at::Tensor& embeddings, const at::Tensor& axes, double gain);

}  // namespace gass::sphere
