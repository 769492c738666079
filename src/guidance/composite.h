#pragma once

#include "diffusion/method.h"

#include <memory>
#include <string>
#include <vector>

namespace gass {

/// Several methods as one. Each hook goes through them in the order they are named, the next one given what
/// the one before made of it. Two that select, or that steer by different injections, cannot be one.
class Composite final : public Method {
  public:
    struct Part {
        std::string name;
        std::unique_ptr<Method> method;
    };

    /// Throws usage, as --method, for parts that cannot be combined.
    Composite(std::vector<Part> parts, std::int64_t images);

    bool looks() const override;
    std::int64_t candidates(std::int64_t images) const override;
    at::Tensor start(const at::Tensor& noise, const std::vector<std::uint64_t>& seeds) override;
    std::vector<std::size_t> scout(const Schedule& schedule, std::int64_t candidates) const override;
    Condition condition(const Condition& condition, const GroupStep& at) override;
    Condition unconditional(const Condition& unconditional, const GroupStep& at) override;
    double guidance(double cfg_scale, const GroupStep& at) override;
    std::optional<at::Tensor> select(const at::Tensor& clean, const GroupStep& at) override;
    at::Tensor steer(const at::Tensor& clean, const GroupStep& at) override;
    std::optional<Injection> injection() const override;
    /// All their steps, in order of time.
    std::optional<std::vector<MethodStep>> report() const override;

  private:
    std::vector<Part> parts_;
    std::int64_t images_;
    Method* selecting_ = nullptr;  ///< the one that chooses among candidates, if any
};

}  // namespace gass
