#pragma once

#include "core/json.h"
#include "diffusion/schedule.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

enum class SamplingMethod { ddim, euler, dpmpp_2m, plms, flow_euler };
/// As the setting has it; flow_euler is "euler" too: on a flow model there is no other.
std::string_view to_string(SamplingMethod method) noexcept;
/// The other way; nothing for "default".
std::optional<SamplingMethod> find_sampling_method(std::string_view name) noexcept;
/// Whether it is for rectified flows; the others are for diffusion models.
bool is_for_flows(SamplingMethod method) noexcept;
std::vector<SamplingMethod> sampling_methods();

/// How timesteps are spread over those of the training: table 2 of arXiv 2305.08891.
enum class TimestepSpacing { linspace, leading, trailing };

/// Which noise levels lie between the first and the last.
enum class SigmaForm { trained, karras, exponential };

/// A diffusers scheduler_config.json, read for one of its scheduler classes with that class's own defaults.
struct SchedulerConfig {
    std::string where;  ///< the file, for complaints
    SamplingMethod method = SamplingMethod::ddim;
    Prediction prediction = Prediction::epsilon;
    std::int64_t train_timesteps = 1000;

    // All but flow_euler.
    std::vector<float> alpha_bars;  ///< see noise_schedule.h
    TimestepSpacing spacing = TimestepSpacing::leading;

    // DDIM and PLMS.
    bool ends_without_noise = true;  ///< else at the level of timestep 0

    // Euler, DPM-Solver++, flow_euler.
    SigmaForm sigmas = SigmaForm::trained;
    std::optional<double> sigma_min;  ///< of Karras' and exponential levels; without: as trained
    std::optional<double> sigma_max;
    bool ends_at_sigma_min = false;  ///< not flow_euler; else without noise
    bool log_linear_sigmas = false;  ///< Euler only

    struct Multistep {
        std::int64_t order = 2;
        bool heun = false;
        bool lower_order_final = true;
        bool euler_at_final = false;
        double lambda_min_clipped = -std::numeric_limits<double>::infinity();
        bool rounds_karras_timesteps = true;  ///< else they are cut off
    };
    Multistep multistep;  ///< DPM-Solver++ only

    /// The shift grows with the image.
    struct DynamicShift {
        double base_shift = 0.5;
        double max_shift = 1.15;
        double base_tokens = 256;
        double max_tokens = 4096;
        bool linear = false;
    };
    struct Flow {
        double shift = 1.0;
        std::optional<DynamicShift> dynamic;  ///< in place of `shift`
        std::optional<double> terminal;       ///< the last level before 0
    };
    Flow flow;  ///< flow_euler only

    /// `method`: take this scheduler in place of the class that the file names, as diffusers'
    /// `Class.from_config` does. `karras`: Karras' noise levels in place of the file's (Euler and
    /// DPM-Solver++ only).
    static SchedulerConfig from_json(const Json& json, std::string_view where,
                                     std::optional<SamplingMethod> method = std::nullopt,
                                     bool karras = false);
};

/// The steps that diffusers takes with this scheduler. `image_tokens` (patches of the latents) matters to
/// dynamic shifting only.
Schedule make_schedule(const SchedulerConfig& config, std::int64_t steps, std::int64_t image_tokens);

}  // namespace gass
