#include "guidance/gass.h"

#include "core/stopwatch.h"
#include "guidance/group_noise.h"
#include "guidance/tensors.h"
#include "guidance/weaken.h"
#include "sphere/axes.h"
#include "sphere/decomposition.h"
#include "sphere/ensemble.h"
#include "sphere/targets.h"
#include "sphere/volume.h"
#include "tensor/random.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace gass {
namespace {

/// Even places from −1 to 1 in the order of the values.
at::Tensor places_by_rank(const at::Tensor& values) {
    if (values.numel() == 1) return at::zeros_like(values);  // one image stays in the middle
    return at::linspace(-1, 1, values.numel(), at::kDouble).index_select(0, values.argsort().argsort());
}

/// The first step at or below a time; the last where there is none.
std::size_t first_below(const Schedule& schedule, double time) {
    std::size_t step = 0;
    while (step + 1 < schedule.steps.size() &&
           schedule.steps[step].timestep / schedule.train_timesteps > time)
        ++step;
    return step;
}

}  // namespace

void GassParams::visit(ParameterVisitor& v) {
    v.number("strength", strength, {0, 1},
             "one dial: sets what says \"by strength\", by the model's calibration, where it is not said");
    v.number("interval", interval, {0, 1},
             "guidance is off while the time (1 noise, 0 image) is above this; by strength");
    v.number("guidance", guidance, {0, 5},
             "how strong guidance is below it, as a share of its own; by strength");
    v.number("start", start, {0, 1},
             "how far the coarse part of the starting noise is spread out; by strength");
    v.number("mean_scale", mean_scale, {0, 5},
             "scale of that noise's mean, which decides colour and light; by strength");
    v.integer("candidates", candidates, {1, 64},
              "candidates for each image, 1 selects none; by strength; k for short");
    v.number("match", match, {0, 5},
             "how much a candidate's match with the prompt counts beside what it adds to the spread; by "
             "strength");
    v.boolean("push", push, "push the group apart");
    v.number("select_time", select_time, {0, 1},
             "the time at which candidates are compared; later sees more; by strength");
    v.integer("scout_steps", scout_steps, {0, 100},
              "coarse steps in which candidates look ahead to `select_time`, for all to begin again; 0 goes "
              "on with the chosen; by strength");
    v.integer("early_steps", early_steps, {0, 100},
              "in how many steps the part above `interval` is taken; 0 takes the usual ones; by strength");
    v.number("weaken", weaken, {0, 1},
             "how far the prompt gives way to the empty one above `interval`; by strength");
    v.number("drop", drop, {0, 0.95},
             "share of the candidates, those that match the prompt least, left out; by strength");
    v.number("push_until", push_until, {0, 1}, "the push acts while the time is above this");
    v.integer("axes", axes, {1, 1024}, "principal directions of the group that are pushed along");
    v.choice("targets", targets, "ladder|amplify",
             "even places along an axis, or what differs times 1 + gain");
    v.number("half_width", half_width, {0, 2}, "half the length of the ladder, on the unit sphere");
    v.number("gain", gain, {0, 100}, "of the amplification");
    v.number("dep", dep, {0, 10}, "weight of spread along the prompt's own direction, in meaning");
    v.number("ind", ind, {0, 10}, "weight of spread across it, in surroundings");
    v.number("ridge", ridge, {0, 1000}, "holds the push back where the group hardly differs");
    v.number("trust", trust, {0, 10}, "the longest move in a step, as a share of a latent's length");
    v.choice("injection", injection, "keep-noise|rederive", "keep the predicted noise, or derive it anew");
}

MethodTraits GassParams::traits() const {
    MethodTraits traits{
        .looks = candidates > 1 || push, .candidates = candidates, .has_dial = true, .takes_axes = true};
    traits.takes_shield = true;
    traits.keeps_away = candidates > 1;  // by what is chosen
    traits.weakens = weaken > 0;
    if (push) traits.injection = injection == "rederive" ? Injection::rederive : Injection::keep_noise;
    return traits;
}

Gass::Gass(const GassParams& params, MethodSetup setup) : params_(params), setup_(std::move(setup)) {
}

Schedule Gass::schedule(Schedule usual) const {
    // One image is made with guidance from the start, which wants its steps.
    if (params_.early_steps == 0 || params_.interval >= 1 || is_alone()) return usual;
    const std::size_t first_fine = first_below(usual, params_.interval);
    return with_coarse_start(std::move(usual), first_fine, static_cast<std::size_t>(params_.early_steps));
}

std::optional<std::size_t> Gass::choice_step(const Schedule& schedule) const {
    if (params_.candidates == 1 || is_alone() || params_.scout_steps > 0) return std::nullopt;
    return first_below(schedule, params_.select_time);
}

std::vector<std::size_t> Gass::scout(const Schedule& schedule, std::int64_t candidates) const {
    if (candidates <= setup_.images || params_.scout_steps == 0) return {};
    // The first step at or below the time of selection, and places evenly before it.
    const std::size_t last = first_below(schedule, params_.select_time);
    const auto looks = std::min(static_cast<std::size_t>(params_.scout_steps), last + 1);
    std::vector<std::size_t> steps;
    for (std::size_t i = 0; i < looks; ++i)
        steps.push_back(looks == 1 ? last : (i * last + (looks - 1) / 2) / (looks - 1));
    return steps;
}

at::Tensor Gass::start(const at::Tensor& noise, const std::vector<std::uint64_t>& seeds) {
    // Candidates that stay in the loop are spread among themselves; those kept after scouting, as the group.
    places_.clear();
    for (std::size_t k = 0; k < setup_.axes.size(); ++k) {
        const at::Tensor& direction = setup_.axes[k].direction;
        // Images that were seen already keep their order along the axis; others are dealt out, each axis
        // anew.
        const at::Tensor order =
            kept_embeddings_.defined() && direction.defined()
                ? kept_embeddings_.mv(direction.to(at::kCPU, at::kDouble))
                : at::rand({noise.size(0)}, make_stream(seeds.front() + k, Purpose::method), at::kDouble);
        places_.push_back(places_by_rank(order));
    }
    return spread_noise(noise, {.amount = params_.start, .mean_scale = params_.mean_scale});
}

Condition Gass::condition(const Condition& condition, const GroupStep& at) {
    const bool weakens = params_.weaken > 0 && at.time > params_.interval && !is_alone();
    Condition moved = weakens ? weakened(condition, setup_.empty, params_.weaken, at) : condition;
    for (std::size_t k = 0; k < places_.size(); ++k) {
        const Condition& half_difference = setup_.axes[k].half_difference;
        const auto along = [&](const at::Tensor& step) {
            std::vector<std::int64_t> shape(static_cast<std::size_t>(step.dim()), 1);
            shape.front() = -1;
            return places_[k].to(step.options()).reshape(shape) * step;
        };
        moved.sequence = moved.sequence + along(half_difference.sequence);
        if (moved.pooled.defined()) moved.pooled = moved.pooled + along(half_difference.pooled);
    }
    return moved;
}

double Gass::guidance(double cfg_scale, const GroupStep& at) {
    if (is_alone()) return cfg_scale;
    if (params_.interval < 1 && at.time > params_.interval) return 1.0;
    return 1.0 + params_.guidance * (cfg_scale - 1.0);
}

at::Tensor Gass::embedded(const at::Tensor& clean) const {
    // Encoders look at few pixels: half the latents' sides are enough, at a quarter of the cost.
    const at::Tensor small = clean.size(2) > 1 && clean.size(3) > 1 ? at::avg_pool2d(clean, 2) : clean;
    return in_chunks(small, setup_.chunk, [&](const at::Tensor& part) {
        return setup_.vision->embed(setup_.vision->decode(part).clamp(-1, 1));
    });
}

/// The embeddings with the parts along and across the prompt as large as their weights: what a volume then
/// counts is the spread that the user asked for.
at::Tensor Gass::weighted(const at::Tensor& embeddings) const {
    const sphere::Decomposition parts = sphere::decompose(embeddings, setup_.prompt);
    return params_.dep * parts.projections.unsqueeze(1) * setup_.prompt + params_.ind * parts.residuals;
}

/// The points with those further out that match the prompt, and those that do not further in: a volume then
/// weighs both. Matching is counted in the candidates' own standard deviations, as encoders differ in how far
/// cosines lie apart.
at::Tensor Gass::matched(const at::Tensor& points, const at::Tensor& alignment,
                         const at::Tensor& seen) const {
    const at::Tensor known = alignment.masked_select(seen);
    if (params_.match == 0 || known.numel() < 2) return points;
    const double spread = known.std().item<double>();
    if (!(spread > 0)) return points;
    const at::Tensor by = (params_.match * (alignment - known.mean()) / spread).exp().to(points.device());
    const at::Tensor centre = points.mean(0, /*keepdim=*/true);
    return centre + by.unsqueeze(1) * (points - centre);
}

std::optional<at::Tensor> Gass::select(const at::Tensor& clean, const GroupStep& at) {
    const bool last = at.index + 1 == at.count;  // a schedule may end before the time has come
    if (clean.size(0) <= setup_.images || (at.time > params_.select_time && !last)) return std::nullopt;
    const Stopwatch watch;
    const at::Tensor embeddings = embedded(clean);
    const at::Tensor seen = embeddings.isfinite().all(1).to(at::kCPU);
    const at::Tensor usable = embeddings.nan_to_num(0, 0, 0);
    const at::Tensor alignment = usable.mv(setup_.prompt).to(at::kCPU);
    Choice choice{.seen = seen, .admissible = at::zeros({clean.size(0)}, at::kBool), .kept = {}};
    std::optional<at::Tensor> given;
    if (setup_.shield.defined()) given = weighted(embedded(setup_.shield.to(clean.options())));
    // Candidates share the images' texts in turn. Where a prompt has choices, each text keeps its share.
    std::vector<at::Tensor> kept;
    for (const std::vector<std::int64_t>& rows : rows_of_texts(clean.size(0))) {
        const at::Tensor own = at::tensor(rows, at::kLong);
        const auto images = static_cast<std::int64_t>(rows.size()) * setup_.images / clean.size(0);
        const at::Tensor allowed =
            best_aligned(alignment.index_select(0, own), seen.index_select(0, own), images);
        choice.admissible.index_put_({own}, allowed);
        kept.push_back(own.index_select(
            0,
            sphere::largest_volume_subset(matched(weighted(usable.index_select(0, own.to(usable.device()))),
                                                  alignment.index_select(0, own), seen.index_select(0, own)),
                                          images, allowed, given)));
    }
    choice.kept = std::get<0>(at::cat(kept).sort());
    kept_embeddings_ = usable.index_select(0, choice.kept.to(usable.device())).to(at::kCPU, at::kDouble);
    for (at::Tensor& places : places_) places = places_by_rank(places.index_select(0, choice.kept));
    report_selection(usable, alignment, choice, at, watch.seconds());
    return choice.kept.to(clean.device());
}

/// The candidates of each text that the prompt's choices give; all of them where it has none, or where the
/// listed seeds cannot be shared out evenly.
std::vector<std::vector<std::int64_t>> Gass::rows_of_texts(std::int64_t candidates) const {
    std::map<std::string, std::vector<std::int64_t>> by_text;
    if (candidates % setup_.images == 0) {
        for (std::size_t i = 0; i < setup_.texts.size(); ++i)
            by_text[setup_.texts[i]].push_back(static_cast<std::int64_t>(i));
    }
    std::vector<std::vector<std::int64_t>> rows;
    for (auto& [text, own] : by_text) rows.push_back(std::move(own));
    if (rows.empty()) {
        rows.emplace_back(static_cast<std::size_t>(candidates));
        std::iota(rows.front().begin(), rows.front().end(), 0);
    }
    return rows;
}

/// Which candidates match the prompt well enough; at least `images`, and none that cannot be seen if there
/// are enough others. [M], bool
at::Tensor Gass::best_aligned(const at::Tensor& alignment, const at::Tensor& seen,
                              std::int64_t images) const {
    const auto share = (1 - params_.drop) * static_cast<double>(alignment.numel());
    const std::int64_t most = std::max(seen.sum().item<std::int64_t>(), images);
    const std::int64_t allowed = std::clamp(static_cast<std::int64_t>(std::ceil(share)), images, most);
    constexpr double kBelowAnyCosine = -2;
    const at::Tensor order = std::get<1>(alignment.masked_fill(~seen, kBelowAnyCosine).topk(allowed));
    return at::zeros({alignment.numel()}, at::kBool).index_fill_(0, order, true);
}

void Gass::report_selection(const at::Tensor& embeddings, const at::Tensor& alignment, const Choice& choice,
                            const GroupStep& at, double seconds) {
    const Numbers along =
        finite_numbers(alignment.masked_fill(~choice.seen, std::numeric_limits<double>::quiet_NaN()));
    const Numbers across = finite_numbers(sphere::on_first_axis(embeddings, setup_.prompt));
    const at::Tensor kept_rows = at::zeros_like(choice.seen).index_fill_(0, choice.kept, true);
    const auto fate_of = [&](std::int64_t row) {
        const bool kept = kept_rows[row].item<bool>();
        if (!choice.seen[row].item<bool>())
            return kept ? CandidateFate::kept_not_seen : CandidateFate::not_seen;
        if (!choice.admissible[row].item<bool>()) return CandidateFate::less_matching;
        return kept ? CandidateFate::kept : CandidateFate::less_volume;
    };
    Selection selection{.step = at.index, .time = at.time, .candidates = {}, .seconds = seconds};
    for (std::size_t i = 0; i < along.size(); ++i) {
        selection.candidates.push_back({.seed = at.seeds->at(i),
                                        .along = along[i],
                                        .across = across[i],
                                        .fate = fate_of(static_cast<std::int64_t>(i))});
    }
    steps_.push_back(std::move(selection));
}

at::Tensor Gass::targets_of(const at::Tensor& embeddings, const at::Tensor& axes) const {
    const auto moved = [&](const at::Tensor& along, double weight) {
        if (weight == 0 || along.size(0) == 0) return embeddings;
        return params_.targets == "ladder" ? sphere::on_ladder(embeddings, along, params_.half_width * weight)
                                           : sphere::amplified(embeddings, along, params_.gain * weight);
    };
    const at::Tensor across = moved(axes, params_.ind);
    const at::Tensor along = moved(setup_.prompt.unsqueeze(0), params_.dep);
    return sphere::unit_vectors(across + (along - embeddings));
}

at::Tensor Gass::steer(const at::Tensor& clean, const GroupStep& at) {
    // The smallest group with a middle to move away from has two images.
    if (!params_.push || at.time <= params_.push_until || clean.size(0) < 2) return clean;
    if (clean.size(0) > setup_.images) return clean;  // still candidates
    const Stopwatch watch;
    const at::Tensor embeddings = embedded(clean);
    Push step{.step = at.index, .time = at.time};
    if (!embeddings.isfinite().all().item<bool>()) {
        step.skipped = "an embedding is not finite";
        steps_.push_back(std::move(step));
        return clean;
    }
    const sphere::PrincipalAxes axes = sphere::principal_axes(embeddings, setup_.prompt, params_.axes);
    const at::Tensor targets = targets_of(embeddings, axes.directions);
    const at::Tensor wanted = targets - embeddings;
    const at::Tensor moves = sphere::in_trust_region(
        sphere::ensemble_moves(sphere::ensemble_coefficients(embeddings, wanted, params_.ridge), clean),
        clean, params_.trust);
    const std::vector<double> wanted_lengths = numbers(wanted.norm(2, 1));
    const at::Tensor lengths = relative_lengths(moves, clean);
    const std::vector<double> latent_moves = numbers(lengths);
    for (std::size_t i = 0; i < latent_moves.size(); ++i) {
        if (latent_moves[i] > 1e-4) continue;
        step.unmoved.push_back({i, axes.directions.size(0) == 0 ? "the images of the group are the same"
                                   : wanted_lengths[i] < 1e-4
                                       ? "it stands at or beyond its place already"
                                       : "the group does not differ in the way it should move"});
    }
    step.latent_moves = finite_numbers(lengths);
    const at::Tensor directions = axes.directions.t();
    step.energies = finite_numbers(axes.energies);
    step.along = finite_numbers(embeddings.mv(setup_.prompt));
    step.target_along = finite_numbers(targets.mv(setup_.prompt));
    step.before = finite_rows(embeddings.matmul(directions));
    step.target = finite_rows(targets.matmul(directions));
    step.seconds = watch.seconds();
    steps_.push_back(std::move(step));
    return clean + moves;
}

}  // namespace gass
