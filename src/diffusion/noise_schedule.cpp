#include "diffusion/noise_schedule.h"

#include "core/quote.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace gass {
namespace {

/// A step's share of noise; 0 and 1 would leave a level without noise or without signal.
float checked_beta(const nn::ConfigReader& reader, std::string_view key, double beta) {
    if (!(beta > 0.0 && beta < 1.0)) {  // true for NaN
        reader.refuse(fmt::format("{} must be above 0 and below 1, not {}", in_quotes(key), beta));
    }
    return static_cast<float>(beta);
}

at::Tensor trained_betas(const nn::ConfigReader& reader, const Json& list, std::int64_t train_timesteps) {
    constexpr std::string_view kKey = "trained_betas";
    if (!list.is_array() || static_cast<std::int64_t>(list.size()) != train_timesteps) {
        reader.refuse(fmt::format("{} must be a list of num_train_timesteps = {} numbers", in_quotes(kKey),
                                  train_timesteps));
    }
    at::Tensor betas = at::empty({train_timesteps}, at::kFloat);
    float* next = betas.mutable_data_ptr<float>();
    for (const Json& beta : list) {
        if (!beta.is_number()) reader.refuse(fmt::format("{} must hold numbers", in_quotes(kKey)));
        *next++ = checked_beta(reader, kKey, beta.get<double>());
    }
    return betas;
}

/// betas whose ᾱ follows a squared cosine.
at::Tensor squared_cosine_betas(std::int64_t train_timesteps) {
    constexpr double kLargestBeta = 0.999;
    const auto count = static_cast<double>(train_timesteps);
    const auto alpha_bar = [](double time) {
        const double cosine = std::cos((time + 0.008) / 1.008 * std::numbers::pi / 2);
        return cosine * cosine;
    };
    at::Tensor betas = at::empty({train_timesteps}, at::kFloat);
    float* next = betas.mutable_data_ptr<float>();
    for (std::int64_t i = 0; i < train_timesteps; ++i) {
        const double before = alpha_bar(static_cast<double>(i) / count);
        const double after = alpha_bar(static_cast<double>(i + 1) / count);
        *next++ = static_cast<float>(std::min(1 - after / before, kLargestBeta));
    }
    return betas;
}

at::Tensor read_betas(nn::ConfigReader& reader, const Json& config, std::int64_t train_timesteps) {
    const double start = reader.number("beta_start", 0.0001);
    const double end = reader.number("beta_end", 0.02);
    const std::string form = reader.text("beta_schedule", "linear");
    reader.ignore({"trained_betas"});
    const auto trained = config.find("trained_betas");
    if (trained != config.end() && !trained->is_null())
        return trained_betas(reader, *trained, train_timesteps);
    if (form == "squaredcos_cap_v2") return squared_cosine_betas(train_timesteps);
    checked_beta(reader, "beta_start", start);
    checked_beta(reader, "beta_end", end);
    if (form == "linear") return at::linspace(start, end, train_timesteps, at::kFloat);
    if (form == "scaled_linear")
        return at::linspace(std::sqrt(start), std::sqrt(end), train_timesteps, at::kFloat).square();
    reader.refuse(fmt::format("the beta_schedule {} is not supported", in_quotes(form)));
}

/// Shifts and scales √ᾱ so that it ends at 0 and begins as before: algorithm 1 of arXiv 2305.08891. The way
/// back to betas is there because its rounding is part of the reference's values.
at::Tensor betas_without_terminal_signal(const at::Tensor& betas) {
    const at::Tensor signal = at::cumprod(1.0 - betas, 0).sqrt();
    const at::Tensor first = signal[0];
    const at::Tensor last = signal[-1];
    const at::Tensor alpha_bars = ((signal - last) * (first / (first - last))).square();
    const at::Tensor alphas = alpha_bars.slice(0, 1) / alpha_bars.slice(0, 0, -1);
    return 1.0 - at::cat({alpha_bars.slice(0, 0, 1), alphas});
}

}  // namespace

std::vector<float> read_alpha_bars(nn::ConfigReader& reader, const Json& config, std::int64_t train_timesteps,
                                   TerminalSignal terminal) {
    const auto alpha_bars_of = [](const at::Tensor& betas) {
        const at::Tensor values = at::cumprod(1.0 - betas, 0).contiguous();
        const float* begin = values.const_data_ptr<float>();
        return std::vector<float>(begin, begin + values.numel());
    };
    const at::Tensor betas = read_betas(reader, config, train_timesteps);
    std::vector<float> alpha_bars = alpha_bars_of(betas);
    const float smallest_normal = std::numeric_limits<float>::min();
    if (alpha_bars.front() >= 1.0F || alpha_bars.back() < smallest_normal)
        reader.refuse("its betas leave a timestep without noise or without signal");
    if (terminal == TerminalSignal::as_trained) return alpha_bars;

    alpha_bars = alpha_bars_of(betas_without_terminal_signal(betas));
    if (terminal == TerminalSignal::hardly) alpha_bars.back() = 0x1p-24F;
    const bool ok = std::all_of(alpha_bars.begin(), alpha_bars.end() - 1,
                                [&](float value) { return value >= smallest_normal && value < 1.0F; });
    if (!ok) reader.refuse("its betas cannot be rescaled to end without signal (rescale_betas_zero_snr)");
    return alpha_bars;
}

}  // namespace gass
