#include "guidance/gass_paper.h"

#include "core/stopwatch.h"
#include "guidance/tensors.h"
#include "sphere/decomposition.h"
#include "sphere/targets.h"
#include "tensor/random.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

namespace gass {
namespace {

/// Where a shift of this length leads, 1 − cos is 5e-7: a few roundings of fp32.
constexpr double kAlmostNoShift = 1e-3;

std::string_view reason_for(PixelOutcome outcome, double shift) {
    if (outcome == PixelOutcome::not_finite) return "its loss or gradient was not finite";
    if (shift < kAlmostNoShift) return "the drawn shift was almost zero";
    if (outcome == PixelOutcome::no_gradient) return "the gradient vanished";
    return "no iterate was better than the start";
}

at::Tensor indices(const std::vector<std::int64_t>& list, at::Device device) {
    return at::tensor(list, at::kLong).to(device);
}

}  // namespace

void GassPaperParams::visit(ParameterVisitor& v) {
    v.number("r_dep", r_dep, {0, 1}, "range of the random shifts along the prompt; 0 leaves that axis alone");
    v.number("r_ind", r_ind, {0, 1}, "range of the random shifts across it");
    v.integer("candidates", candidates, {1, 4096}, "random directions that Algorithm 1 chooses from");
    v.choice("basis", basis, "gass|ip|rd", "Algorithm 1, or its ablations: isotropic, or a random direction");
    v.boolean("renormalise", renormalise, "put the targets back on the sphere");
    v.choice("optimiser", optimiser, "adam|gradient", "Adam on the pixels, or the one step of Eq. 8");
    v.number("lr", lr, {0, 1e6}, "Adam's learning rate, or Eq. 8's step size");
    v.integer("iterations", iterations, {1, 1000}, "of Adam, at most");
    v.number("tolerance", tolerance, {0, 1}, "a gain of the set's loss up to this counts as none");
    v.integer("patience", patience, {1, 1000}, "iterations without gain before Adam stops");
    v.choice("schedule", schedule, "uniform|consecutive",
             "expand at steps spread over all, or at the first ones");
    v.integer("steps", steps, {0, 1000}, "how many steps expand; at most all do");
    v.choice("reencode", reencode, "difference|plain",
             "add the change of the encoded image, or replace by it, with the autoencoder's loss");
}

/// A group on the sphere, before and after. Images whose embedding is not finite take no part.
struct GassPaper::Expanded {
    std::int64_t images = 0;           // of the whole group
    std::vector<std::int64_t> places;  // of those that take part
    sphere::Basis basis;
    at::Tensor before;  // [k, d]; here and below, a row for each image that takes part
    at::Tensor targets;
    OptimisedPixels after;
};

GassPaper::GassPaper(const GassPaperParams& params, MethodSetup setup)
    : params_(params), setup_(std::move(setup)) {
}

bool GassPaper::is_active(const GassPaperParams& params, std::size_t index, std::size_t count) {
    const auto wanted = std::min(static_cast<std::size_t>(params.steps), count);
    if (params.schedule == "consecutive") return index < wanted;
    // The k-th of K steps stands at ⌊k · count / K⌋; the first k that reaches the index decides.
    const std::size_t k = (index * wanted + count - 1) / count;
    return k < wanted && k * count / wanted == index;
}

at::Tensor GassPaper::decode(const at::Tensor& latents) const {
    return in_chunks(latents, setup_.chunk, [&](const at::Tensor& part) {
        return ((setup_.vision->decode(part) + 1) / 2).clamp(0, 1);
    });
}

at::Tensor GassPaper::encode(const at::Tensor& pixels) const {
    return in_chunks(pixels, setup_.chunk,
                     [&](const at::Tensor& part) { return setup_.vision->encode(part * 2 - 1); });
}

sphere::Basis GassPaper::basis_for(const at::Tensor& embeddings) {
    if (params_.basis == "ip") return sphere::isotropic_basis(setup_.prompt, *random_);
    if (params_.basis == "rd") return sphere::random_direction_basis(setup_.prompt, *random_);
    return sphere::dominant_basis(embeddings, setup_.prompt, params_.candidates, *random_);
}

GassPaper::Expanded GassPaper::expand(const at::Tensor& pixels) {
    const at::Tensor embeddings = in_chunks(
        pixels, setup_.chunk, [&](const at::Tensor& part) { return setup_.vision->embed(part * 2 - 1); });
    Expanded expansion;
    expansion.images = pixels.size(0);
    const at::Tensor finite = embeddings.isfinite().all(1);
    for (std::int64_t i = 0; i < expansion.images; ++i) {
        if (finite[i].item<bool>()) expansion.places.push_back(i);
    }
    if (expansion.places.empty()) return expansion;

    const at::Tensor rows = indices(expansion.places, pixels.device());
    expansion.before = embeddings.index_select(0, rows);
    expansion.basis = basis_for(expansion.before);
    // Drawn for all images: whether one takes part changes nothing for the others.
    const sphere::Shifts all = sphere::draw_shifts(expansion.images, params_.r_dep, params_.r_ind, *random_);
    const at::Tensor own = rows.to(at::kCPU);
    const sphere::Shifts shifts{all.dependent.index_select(0, own), all.independent.index_select(0, own)};
    expansion.targets = sphere::expanded(expansion.before, expansion.basis, shifts);
    if (params_.renormalise) expansion.targets = sphere::unit_vectors(expansion.targets);
    expansion.after = optimise_pixels(*setup_.vision, pixels.index_select(0, rows), expansion.targets,
                                      {.adam = params_.optimiser == "adam",
                                       .lr = params_.lr,
                                       .iterations = params_.iterations,
                                       .tolerance = params_.tolerance,
                                       .patience = params_.patience,
                                       .chunk = setup_.chunk});
    return expansion;
}

/// The latents of the optimised pixels. The difference form leaves out what the autoencoder loses on the way
/// there and back, so that an image that did not move keeps its latents to the last bit.
at::Tensor GassPaper::moved(const at::Tensor& clean, const at::Tensor& pixels,
                            const Expanded& expansion) const {
    const bool plain = params_.reencode == "plain";
    std::vector<std::int64_t> places;
    std::vector<std::int64_t> own_rows;  // of the expansion
    for (std::size_t i = 0; i < expansion.places.size(); ++i) {
        const PixelOutcome outcome = expansion.after.outcomes[i];
        if (outcome == PixelOutcome::moved || (plain && outcome == PixelOutcome::no_better_iterate)) {
            places.push_back(expansion.places[i]);
            own_rows.push_back(static_cast<std::int64_t>(i));
        }
    }
    if (places.empty()) return clean;
    const at::Tensor at = indices(places, clean.device());
    at::Tensor latents = encode(expansion.after.pixels.index_select(0, indices(own_rows, clean.device())));
    if (!plain) latents = clean.index_select(0, at) + (latents - encode(pixels.index_select(0, at)));
    return clean.index_copy(0, at, latents);
}

std::vector<Unmoved> GassPaper::unmoved_of(const Expanded& expansion) {
    std::vector<Unmoved> unmoved;
    std::size_t row = 0;
    for (std::int64_t i = 0; i < expansion.images; ++i) {
        const auto image = static_cast<std::size_t>(i);
        if (row == expansion.places.size() || expansion.places[row] != i) {
            unmoved.push_back({image, "its embedding was not finite"});
            continue;
        }
        const auto own = static_cast<std::int64_t>(row);
        const double shift = (expansion.targets[own] - expansion.before[own]).norm().item<double>();
        const PixelOutcome outcome = expansion.after.outcomes[row];
        if (outcome != PixelOutcome::moved)
            unmoved.push_back({image, std::string(reason_for(outcome, shift))});
        ++row;
    }
    return unmoved;
}

/// Of the whole group, with no numbers for images that took no part.
Expansion::Shifts GassPaper::shifts_of(const Expanded& expansion) {
    const at::Tensor places = at::tensor(expansion.places, at::kLong);
    const auto of_all = [&](const at::Tensor& values) {
        return finite_numbers(
            at::full({expansion.images}, std::numeric_limits<double>::quiet_NaN(), at::kDouble)
                .index_copy(0, places, values.to(at::kCPU, at::kDouble)));
    };
    const auto along = [&](const at::Tensor& axis) {
        const auto projections = [&](const at::Tensor& points) {
            return of_all(sphere::decompose(points, axis).projections);
        };
        return Expansion::Projections{.before = projections(expansion.before),
                                      .target = projections(expansion.targets),
                                      .after = projections(expansion.after.embeddings)};
    };
    return {.dependent = along(expansion.basis.dependent),
            .independent = along(expansion.basis.independent),
            .loss_start = of_all(expansion.after.start_losses),
            .loss_end = of_all(expansion.after.losses),
            .iterations = static_cast<std::size_t>(expansion.after.iterations)};
}

at::Tensor GassPaper::steer(const at::Tensor& clean, const GroupStep& at) {
    const bool expands = params_.r_dep > 0 || params_.r_ind > 0;
    const bool has_effect = expands || params_.reencode == "plain";  // plain: the autoencoder's round trip
    if (!has_effect || !is_active(params_, at.index, at.count)) return clean;
    const Stopwatch watch;
    if (!random_) random_ = make_stream(at.seeds->front(), Purpose::method);

    const at::Tensor pixels = decode(clean);
    Expansion step{.step = at.index};
    at::Tensor steered;
    if (expands) {
        const Expanded expansion = expand(pixels);
        steered = moved(clean, pixels, expansion);
        if (!expansion.places.empty()) step.shifts = shifts_of(expansion);
        step.unmoved = unmoved_of(expansion);
    } else {
        steered = encode(pixels);
    }
    step.latent_moves = finite_numbers(relative_lengths(steered - clean, clean));
    step.seconds = watch.seconds();
    steps_.push_back(std::move(step));
    return steered;
}

}  // namespace gass
