#pragma once

#include "diffusion/method.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace gass {

/// Several methods as one. Each hook goes through them in the order they are named, the next one given what
/// the one before made of it. At most one of them selects, and those that steer do it by the same injection
/// (registry.h refuses others).
class Composite final : public Method {
  public:
    /// `selecting`: which of the parts chooses among candidates; nothing: none does.
    Composite(std::vector<std::unique_ptr<Method>> parts, std::optional<std::size_t> selecting,
              std::int64_t images);

    Schedule schedule(Schedule usual) const override;
    std::optional<std::size_t> choice_step(const Schedule& schedule) const override;
    at::Tensor start(const at::Tensor& noise, const std::vector<std::uint64_t>& seeds) override;
    std::vector<std::size_t> scout(const Schedule& schedule, std::int64_t candidates) const override;
    Condition condition(const Condition& condition, const GroupStep& at) override;
    Condition unconditional(const Condition& unconditional, const GroupStep& at) override;
    double guidance(double cfg_scale, const GroupStep& at) override;
    std::optional<at::Tensor> select(const at::Tensor& clean, const GroupStep& at) override;
    at::Tensor steer(const at::Tensor& clean, const GroupStep& at) override;
    std::optional<Injection> injection() const override;
    std::vector<at::Tensor> places() const override;
    /// All their steps, in order of time.
    std::optional<std::vector<MethodStep>> report() const override;

  private:
    std::vector<std::unique_ptr<Method>> parts_;
    Method* selecting_;  ///< null: none
    std::int64_t images_;
};

}  // namespace gass
