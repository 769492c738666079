#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace gass {

/// What the denoiser is told about each image of a group.
struct Condition {
    at::Tensor sequence;  // [B, T, C], the text's tokens
    at::Tensor pooled;    // [B, P], the whole text; undefined where a denoiser takes none

    Condition rows(std::int64_t first, std::int64_t count) const;
    Condition select(const at::Tensor& indices) const;
    /// One image's condition for each of `count` images.
    Condition repeated(std::int64_t count) const;
    static Condition concatenated(const std::vector<Condition>& parts);
};

/// A network that says what is noise in x.
class Denoiser {
  public:
    virtual ~Denoiser() = default;
    Denoiser(const Denoiser&) = delete;
    Denoiser& operator=(const Denoiser&) = delete;

    /// x [B, C, h, w] in fp32, one time step for all → the raw output in fp32, of the same shape.
    virtual at::Tensor predict(const at::Tensor& x, double timestep, const Condition& condition) const = 0;

  protected:
    Denoiser() = default;
};

}  // namespace gass
