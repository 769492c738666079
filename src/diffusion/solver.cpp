#include "diffusion/solver.h"

#include <ATen/ATen.h>

#include <cassert>
#include <cmath>
#include <deque>
#include <initializer_list>
#include <utility>

namespace gass {
namespace {

at::Tensor selected(const at::Tensor& images, const at::Tensor& indices) {
    return images.defined() ? images.index_select(0, indices.to(images.device())) : images;
}

/// DDIM without noise of its own, Euler's method, and the first order of DPM-Solver++: one move in different
/// coordinates.
class FirstOrderSolver final : public Solver {
  public:
    explicit FirstOrderSolver(const Schedule& schedule) : schedule_(schedule) {}

    at::Tensor advance(std::size_t step, const at::Tensor& /*x*/, const DenoisedEstimate& estimate) override {
        return mix(estimate, schedule_.steps[step].to);
    }
    void keep(const at::Tensor& /*indices*/) override {}

  private:
    const Schedule& schedule_;
};

/// DPM-Solver++(2M), arXiv 2211.01095: the first order, corrected by how x0 changed since the step before.
class DpmSolver final : public Solver {
  public:
    explicit DpmSolver(const Schedule& schedule) : schedule_(schedule) {}

    at::Tensor advance(std::size_t step, const at::Tensor& /*x*/, const DenoisedEstimate& estimate) override {
        at::Tensor x = mix(estimate, schedule_.steps[step].to);
        const double weight = previous_clean_.defined() ? correction_weight(step) : 0.0;
        if (weight != 0.0) x = at::add(x, at::sub(estimate.clean, previous_clean_), weight);
        previous_clean_ = estimate.clean;
        return x;
    }
    void keep(const at::Tensor& indices) override { previous_clean_ = selected(previous_clean_, indices); }

  private:
    static double log_ratio(NoiseLevel level) { return std::log(level.signal) - std::log(level.noise); }

    double correction_weight(std::size_t step) const {
        const Step& here = schedule_.steps[step];
        if (step == 0 || schedule_.first_order_steps[step] || here.to.noise == 0.0) return 0.0;
        const double lambda = log_ratio(here.from);
        const double h = log_ratio(here.to) - lambda;
        const double previous_h = lambda - log_ratio(schedule_.steps[step - 1].from);
        // Two timesteps may be one level when they are rounded: no change to extrapolate from.
        if (previous_h == 0.0) return 0.0;
        const double midpoint = -std::expm1(-h) * h / 2;
        const double heun = std::expm1(-h) + h;
        return here.to.signal * (schedule_.heun ? heun : midpoint) / previous_h;
    }

    const Schedule& schedule_;
    at::Tensor previous_clean_;
};

/// Pseudo linear multistep, arXiv 2202.09778 without its Runge-Kutta steps: a first-order move with the
/// outputs of up to four steps combined.
class PlmsSolver final : public Solver {
  public:
    explicit PlmsSolver(const Schedule& schedule) : schedule_(schedule) {}

    at::Tensor advance(std::size_t step, const at::Tensor& x, const DenoisedEstimate& estimate) override {
        const Step& here = schedule_.steps[step];
        const at::Tensor output = join(schedule_.prediction, estimate, here.from);
        if (step == 1) {
            assert(schedule_.plms_restart && outputs_.size() == 1);
            const at::Tensor average = (outputs_.front() + output) / 2;
            const at::Tensor start = std::exchange(first_x_, {});
            return mix(split(schedule_.prediction, average, start, *schedule_.plms_restart), here.to);
        }
        if (step == 0) first_x_ = x;
        outputs_.push_front(output);
        if (outputs_.size() > kMostOutputs) outputs_.pop_back();
        return mix(split(schedule_.prediction, extrapolated(), x, here.from), here.to);
    }
    void keep(const at::Tensor& indices) override {
        first_x_ = selected(first_x_, indices);
        for (at::Tensor& output : outputs_) output = selected(output, indices);
    }

  private:
    static constexpr std::size_t kMostOutputs = 4;

    /// Adams and Bashforth's formulas.
    at::Tensor extrapolated() const {
        const auto combined = [&](std::initializer_list<double> weights, double divisor) {
            at::Tensor sum;
            std::size_t i = 0;
            for (const double weight : weights) {
                const at::Tensor& output = outputs_[i++];
                sum = sum.defined() ? at::add(sum, output, weight / divisor)
                                    : at::mul(output, weight / divisor);
            }
            return sum;
        };
        switch (outputs_.size()) {
            case 1:
                return outputs_.front();
            case 2:
                return combined({3, -1}, 2);
            case 3:
                return combined({23, -16, 5}, 12);
            default:
                return combined({55, -59, 37, -9}, 24);
        }
    }

    const Schedule& schedule_;
    std::deque<at::Tensor> outputs_;  // the newest first
    at::Tensor first_x_;
};

}  // namespace

std::unique_ptr<Solver> make_solver(const Schedule& schedule) {
    switch (schedule.solver) {
        case SolverKind::first_order:
            return std::make_unique<FirstOrderSolver>(schedule);
        case SolverKind::dpmpp_2m:
            return std::make_unique<DpmSolver>(schedule);
        case SolverKind::plms:
            return std::make_unique<PlmsSolver>(schedule);
    }
    return nullptr;
}

}  // namespace gass
