#pragma once

#include "diffusion/schedule.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <memory>

namespace gass {

/// Moves a group from step to step. Keeps what multistep methods remember; one object per group, steps in
/// order.
class Solver {
  public:
    virtual ~Solver() = default;
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;

    /// x at the end of the step, given x at its start and the estimate there.
    virtual at::Tensor advance(std::size_t step, const at::Tensor& x, const DenoisedEstimate& estimate) = 0;
    /// From now on only these images of the group go on: [K] indices.
    virtual void keep(const at::Tensor& indices) = 0;

  protected:
    Solver() = default;
};

/// `schedule` must outlive the solver.
std::unique_ptr<Solver> make_solver(const Schedule& schedule);

}  // namespace gass
