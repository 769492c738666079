#pragma once

#include <gass/export.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gass {

struct PlanParts;

/// What making a group takes.
struct PlanCost {
    std::int64_t evaluations = 0;        ///< of the denoiser, for one image and one text each
    std::int64_t images_per_call = 0;    ///< of a network, by the memory that is free now
    std::uint64_t weight_bytes = 0;      ///< of all networks
    std::uint64_t activation_bytes = 0;  ///< about, for so many images at a time
    std::optional<double> seconds = {};  ///< about, by the last set like this here; none if there was none
};

/// A request with everything decided and checked, and nothing computed. Only an engine makes one, and only
/// for itself. Immutable, cheap to copy: any number of threads may use one.
class GASS_API Plan {
  public:
    explicit Plan(std::shared_ptr<const PlanParts> parts);

    const std::string& prompt() const;
    const std::string& negative_prompt() const;
    std::int64_t images() const;
    /// What the group starts from: a seed for each image, or more that its method chooses from.
    const std::vector<std::uint64_t>& seeds() const;
    std::int64_t steps() const;
    double cfg_scale() const;
    std::int64_t width() const;
    std::int64_t height() const;
    /// With every parameter: "gass:strength=0.5,interval=…".
    std::string method() const;
    /// "gass"
    std::string method_name() const;
    /// Whether the method sees images through the guide, which then also measures them.
    bool looks() const;
    const std::string& sampling_method() const;

    const PlanParts& parts() const { return *parts_; }

  private:
    std::shared_ptr<const PlanParts> parts_;
};

}  // namespace gass
