#include "diffusion/scheduler_config.h"

#include "core/fail.h"
#include "core/quote.h"
#include "diffusion/noise_schedule.h"
#include "nn/config.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <utility>

namespace gass {
namespace {

/// What a scheduler's file says of its levels.
enum class Levels { alphas, sigmas, flow };

struct MethodRow {
    SamplingMethod method;
    std::string_view name;        ///< as the setting has it; a flow's Euler is what "euler" means there
    std::string_view class_name;  ///< of diffusers' scheduler
    Levels levels;
};

constexpr std::array kMethods{
    MethodRow{SamplingMethod::ddim, "ddim", "DDIMScheduler", Levels::alphas},
    MethodRow{SamplingMethod::euler, "euler", "EulerDiscreteScheduler", Levels::sigmas},
    MethodRow{SamplingMethod::dpmpp_2m, "dpm++2m", "DPMSolverMultistepScheduler", Levels::sigmas},
    MethodRow{SamplingMethod::plms, "plms", "PNDMScheduler", Levels::alphas},
    MethodRow{SamplingMethod::flow_euler, "euler", "FlowMatchEulerDiscreteScheduler", Levels::flow},
};

const MethodRow& row_of(SamplingMethod method) {
    return *std::ranges::find(kMethods, method, &MethodRow::method);
}

/// Those with one of these levels, "ddim, euler, dpm++2m or plms".
std::string names_of(std::initializer_list<Levels> levels, std::string_view last_word) {
    std::vector<std::string_view> names;
    for (const MethodRow& row : kMethods) {
        if (std::ranges::find(levels, row.levels) != levels.end()) names.push_back(row.name);
    }
    const std::string_view last = names.back();
    names.pop_back();
    return names.empty() ? std::string(last)
                         : fmt::format("{} {} {}", fmt::join(names, ", "), last_word, last);
}

std::string diffusion_names() {
    return names_of({Levels::alphas, Levels::sigmas}, "or");
}

SamplingMethod method_of_class(const std::string& class_name, const nn::ConfigReader& reader) {
    for (const MethodRow& row : kMethods) {
        if (row.class_name == class_name) return row.method;
    }
    reader.refuse(
        fmt::format("the scheduler class {} is not supported; `sampling_method` can choose {} in its place",
                    in_quotes(class_name), diffusion_names()));
}

/// What the user chose, in place of the file's class.
SamplingMethod chosen_method(SamplingMethod method, bool flow_model) {
    if (is_for_flows(method) == flow_model) return method;
    if (!flow_model) {
        fail(ErrorCode::usage, SettingKey("sampling_method"),
             "{} for rectified flow is not for this diffusion model; choose {}", to_string(method),
             diffusion_names());
    }
    for (const MethodRow& row : kMethods) {
        if (row.levels == Levels::flow && row.name == to_string(method)) return row.method;
    }
    fail(ErrorCode::usage, SettingKey("sampling_method"),
         "{} is for diffusion models; this rectified-flow model takes {} only", to_string(method),
         names_of({Levels::flow}, "or"));
}

Prediction read_prediction(nn::ConfigReader& reader, SamplingMethod method) {
    const std::string name = reader.text("prediction_type", "epsilon");
    if (name == "epsilon") return Prediction::epsilon;
    if (name == "v_prediction") return Prediction::v;
    if (name == "sample" && method != SamplingMethod::plms) return Prediction::sample;
    reader.refuse(
        fmt::format("the prediction_type {} is not supported with this scheduler", in_quotes(name)));
}

TimestepSpacing read_spacing(nn::ConfigReader& reader, const std::string& fallback) {
    const std::string name = reader.text("timestep_spacing", fallback);
    if (name == "linspace") return TimestepSpacing::linspace;
    if (name == "leading") return TimestepSpacing::leading;
    if (name == "trailing") return TimestepSpacing::trailing;
    reader.refuse(fmt::format("the timestep_spacing {} is not supported", in_quotes(name)));
}

std::optional<double> read_sigma_limit(nn::ConfigReader& reader, std::string_view key, double maximum) {
    constexpr double kAbsent = std::numeric_limits<double>::infinity();  // no value that a file can have
    const double sigma = reader.number(key, kAbsent);
    if (sigma == kAbsent) return std::nullopt;
    constexpr double kMinimum = 1e-6;
    if (sigma < kMinimum || sigma > maximum)
        reader.refuse(fmt::format("{} must be {} to {}, not {}", in_quotes(key), kMinimum, maximum, sigma));
    return sigma;
}

void read_sigma_form(nn::ConfigReader& reader, bool force_karras, double largest_sigma,
                     SchedulerConfig& config) {
    const bool karras = reader.boolean("use_karras_sigmas", false);
    const bool exponential = reader.boolean("use_exponential_sigmas", false);
    reader.require("use_beta_sigmas", {false});
    config.sigma_min = read_sigma_limit(reader, "sigma_min", largest_sigma);
    config.sigma_max = read_sigma_limit(reader, "sigma_max", largest_sigma);
    if (force_karras) {
        config.sigmas = SigmaForm::karras;
        return;
    }
    if (karras && exponential)
        reader.refuse("use_karras_sigmas and use_exponential_sigmas exclude each other");
    if (karras) config.sigmas = SigmaForm::karras;
    if (exponential) config.sigmas = SigmaForm::exponential;
}

/// `first` unless the text is `second`; anything else is refused.
bool is_second(nn::ConfigReader& reader, std::string_view key, const std::string& first,
               std::string_view second) {
    const std::string text = reader.text(key, first);
    if (text != first && text != second) {
        reader.refuse(fmt::format("{} must be {} or {}, not {}", in_quotes(key), in_quotes(first),
                                  in_quotes(second), in_quotes(text)));
    }
    return text == second;
}

void read_alpha_method(nn::ConfigReader& reader, const Json& json, bool method_was_chosen,
                       SchedulerConfig& config) {
    const bool plms = config.method == SamplingMethod::plms;
    config.ends_without_noise = reader.boolean("set_alpha_to_one", !plms);
    config.spacing = read_spacing(reader, "leading");
    TerminalSignal terminal = TerminalSignal::as_trained;
    if (plms) {
        // PLMS is PNDM without Runge-Kutta steps: who chooses it by name need not say so in the file too.
        if (!method_was_chosen && !reader.boolean("skip_prk_steps", false))
            reader.refuse(fmt::format("{} = false is not supported", in_quotes("skip_prk_steps")));
    } else if (reader.boolean("rescale_betas_zero_snr", false)) {
        terminal = TerminalSignal::none;
    }
    config.alpha_bars = read_alpha_bars(reader, json, config.train_timesteps, terminal);
}

void read_multistep(nn::ConfigReader& reader, SchedulerConfig::Multistep& multistep) {
    multistep.order = reader.integer("solver_order", 2, 1, 2);
    // Names of other solvers, which the reference reads as its defaults.
    reader.require("algorithm_type", {"dpmsolver++", "deis"});
    reader.require("solver_type", {"midpoint", "heun", "logrho", "bh1", "bh2"});
    multistep.heun = reader.text("solver_type", "midpoint") == "heun";
    multistep.lower_order_final = reader.boolean("lower_order_final", true);
    multistep.euler_at_final = reader.boolean("euler_at_final", false);
    multistep.lambda_min_clipped = reader.number("lambda_min_clipped", multistep.lambda_min_clipped);
    multistep.rounds_karras_timesteps = reader.text("beta_schedule", "linear") != "squaredcos_cap_v2";
    reader.require("use_lu_lambdas", {false});
    reader.require("use_flow_sigmas", {false});
    reader.require("variance_type", {});
}

void read_sigma_method(nn::ConfigReader& reader, const Json& json, bool karras, SchedulerConfig& config) {
    constexpr double kLargestSigma = 1e6;
    config.spacing = read_spacing(reader, "linspace");
    read_sigma_form(reader, karras, kLargestSigma, config);
    config.ends_at_sigma_min = is_second(reader, "final_sigmas_type", "zero", "sigma_min");
    if (config.method == SamplingMethod::dpmpp_2m) {
        read_multistep(reader, config.multistep);
    } else {
        config.log_linear_sigmas = is_second(reader, "interpolation_type", "linear", "log_linear");
        reader.require("timestep_type", {"discrete"});
    }
    const TerminalSignal terminal =
        reader.boolean("rescale_betas_zero_snr", false) ? TerminalSignal::hardly : TerminalSignal::as_trained;
    config.alpha_bars = read_alpha_bars(reader, json, config.train_timesteps, terminal);
}

double number_between(nn::ConfigReader& reader, std::string_view key, double fallback, double minimum,
                      double maximum) {
    const double value = reader.number(key, fallback);
    if (value < minimum || value > maximum)
        reader.refuse(fmt::format("{} must be {} to {}, not {}", in_quotes(key), minimum, maximum, value));
    return value;
}

SchedulerConfig::DynamicShift read_dynamic_shift(nn::ConfigReader& reader) {
    SchedulerConfig::DynamicShift dynamic;
    dynamic.base_shift = number_between(reader, "base_shift", dynamic.base_shift, -20, 20);
    dynamic.max_shift = number_between(reader, "max_shift", dynamic.max_shift, -20, 20);
    dynamic.base_tokens = static_cast<double>(reader.integer("base_image_seq_len", 256));
    dynamic.max_tokens = static_cast<double>(reader.integer("max_image_seq_len", 4096));
    dynamic.linear = is_second(reader, "time_shift_type", "exponential", "linear");
    if (dynamic.base_tokens == dynamic.max_tokens)
        reader.refuse("base_image_seq_len and max_image_seq_len must differ");
    return dynamic;
}

void read_flow(nn::ConfigReader& reader, bool karras, SchedulerConfig& config) {
    config.prediction = Prediction::flow;
    config.flow.shift = number_between(reader, "shift", 1.0, 0.001, 1000.0);
    if (reader.boolean("use_dynamic_shifting", false)) config.flow.dynamic = read_dynamic_shift(reader);
    const double terminal = number_between(reader, "shift_terminal", 0.0, 0.0, 0.999);
    if (terminal > 0.0) config.flow.terminal = terminal;
    read_sigma_form(reader, karras, 1.0, config);
    reader.require("invert_sigmas", {false});
    reader.require("stochastic_sampling", {false});
}

void read_diffusion(nn::ConfigReader& reader, const Json& json, bool method_was_chosen, bool karras,
                    SchedulerConfig& config) {
    config.prediction = read_prediction(reader, config.method);
    const bool has_sigmas = row_of(config.method).levels == Levels::sigmas;
    if (!has_sigmas && karras) {
        fail(ErrorCode::usage, SettingKey("scheduler"), "karras is for the sampling methods {}, not {}",
             names_of({Levels::sigmas}, "and"), to_string(config.method));
    }
    if (has_sigmas) {
        read_sigma_method(reader, json, karras, config);
    } else {
        read_alpha_method(reader, json, method_was_chosen, config);
    }
    reader.require("thresholding", {false});
}

/// Files carry the keys of the class that they were converted from.
void ignore_keys_of_other_classes(nn::ConfigReader& reader) {
    reader.ignore({"beta_start", "beta_end", "beta_schedule", "trained_betas", "prediction_type",
                   "steps_offset", "timestep_spacing", "rescale_betas_zero_snr", "set_alpha_to_one",
                   "skip_prk_steps"});
    reader.ignore({"clip_sample", "clip_sample_range", "thresholding", "dynamic_thresholding_ratio",
                   "sample_max_value", "variance_type"});
    reader.ignore({"use_karras_sigmas", "use_exponential_sigmas", "use_beta_sigmas", "use_lu_lambdas",
                   "use_flow_sigmas", "sigma_min", "sigma_max", "final_sigmas_type", "interpolation_type",
                   "timestep_type"});
    reader.ignore({"algorithm_type", "solver_order", "solver_type", "lower_order_final", "euler_at_final",
                   "lambda_min_clipped", "disable_corrector", "predict_x0", "solver_p"});
    reader.ignore({"shift", "flow_shift", "use_dynamic_shifting", "base_shift", "max_shift",
                   "base_image_seq_len", "max_image_seq_len", "time_shift_type", "shift_terminal",
                   "invert_sigmas", "stochastic_sampling"});
    reader.ignore({"original_inference_steps", "timestep_scaling"});
}

}  // namespace

std::string_view to_string(SamplingMethod method) noexcept {
    return row_of(method).name;
}

bool is_for_flows(SamplingMethod method) noexcept {
    return row_of(method).levels == Levels::flow;
}

std::vector<SamplingMethod> sampling_methods() {
    std::vector<SamplingMethod> all;
    for (const MethodRow& row : kMethods) all.push_back(row.method);
    return all;
}

std::optional<SamplingMethod> find_sampling_method(std::string_view name) noexcept {
    const auto row = std::ranges::find(kMethods, name, &MethodRow::name);
    return row == kMethods.end() ? std::nullopt : std::optional(row->method);
}

SchedulerConfig SchedulerConfig::from_json(const Json& json, std::string_view where,
                                           std::optional<SamplingMethod> method, bool karras) {
    nn::ConfigReader reader(json, where);
    const std::string class_name = reader.text("_class_name");
    SchedulerConfig config;
    config.where = where;
    config.method = method ? chosen_method(*method, class_name.starts_with("FlowMatch"))
                           : method_of_class(class_name, reader);
    config.train_timesteps = reader.integer("num_train_timesteps", 1000, 2, 100'000);
    if (is_for_flows(config.method)) {
        read_flow(reader, karras, config);
    } else {
        read_diffusion(reader, json, method.has_value(), karras, config);
    }
    ignore_keys_of_other_classes(reader);
    reader.finish();
    return config;
}

}  // namespace gass
