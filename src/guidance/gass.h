#pragma once

#include "diffusion/method.h"
#include "guidance/dial.h"
#include "guidance/method_setup.h"
#include "guidance/method_traits.h"
#include "guidance/text/parameters.h"

namespace gass {

/// The knobs of the recommended method. Each part has its own switch, so that each can be measured alone; the
/// dial (dial.h) sets those from `interval` to `weaken`. What is not said is as in records of 0.1, which know
/// no `match`, `early_steps` and `weaken`.
struct GassParams {
    double strength = kDefaultStrength;
    double interval = 1.0;
    double guidance = 1.0;
    double start = 0.0;
    double mean_scale = 1.0;
    std::int64_t candidates = 1;
    double match = 0.0;
    bool push = false;
    double select_time = 0.75;
    std::int64_t scout_steps = 3;
    std::int64_t early_steps = 0;
    double weaken = 0.0;
    double drop = 0.5;
    double push_until = 0.85;
    std::int64_t axes = 4;
    std::string targets = "ladder";
    double half_width = 0.2;
    double gain = 0.5;
    double dep = 0.0;
    double ind = 1.0;
    double ridge = 0.1;
    double trust = 0.1;
    std::string injection = "keep-noise";

    void visit(ParameterVisitor& visitor);
    MethodTraits traits() const;
};

/// Spreads a group where its layout is decided, at high noise: its starting noise is spread out, guidance is
/// off at first or the prompt counts less, the group is chosen from more candidates by the volume it spans on
/// the sphere, and pushed apart along the directions in which it already differs. No gradient is taken. See
/// docs/gass.md.
class Gass final : public Method {
  public:
    Gass(const GassParams& params, MethodSetup setup);

    Schedule schedule(Schedule usual) const override;
    std::optional<std::size_t> choice_step(const Schedule& schedule) const override;
    std::vector<std::size_t> scout(const Schedule& schedule, std::int64_t candidates) const override;
    at::Tensor start(const at::Tensor& noise, const std::vector<std::uint64_t>& seeds) override;
    Condition condition(const Condition& condition, const GroupStep& at) override;
    double guidance(double cfg_scale, const GroupStep& at) override;
    std::optional<at::Tensor> select(const at::Tensor& clean, const GroupStep& at) override;
    at::Tensor steer(const at::Tensor& clean, const GroupStep& at) override;
    std::optional<Injection> injection() const override { return params_.traits().injection; }
    std::vector<at::Tensor> places() const override { return places_; }
    std::optional<std::vector<MethodStep>> report() const override { return steps_; }

  private:
    /// What became of the candidates: [M] each, and the indices of the kept.
    struct Choice {
        at::Tensor seen;
        at::Tensor admissible;
        at::Tensor kept;
    };

    /// Whether there is nobody to differ from.
    bool is_alone() const { return setup_.images == 1 && !setup_.has_company; }
    at::Tensor embedded(const at::Tensor& clean) const;
    at::Tensor weighted(const at::Tensor& embeddings) const;
    at::Tensor matched(const at::Tensor& points, const at::Tensor& alignment, const at::Tensor& seen) const;
    std::vector<std::vector<std::int64_t>> rows_of_texts(std::int64_t candidates) const;
    at::Tensor best_aligned(const at::Tensor& alignment, const at::Tensor& seen, std::int64_t images) const;
    void report_selection(const at::Tensor& embeddings, const at::Tensor& alignment, const Choice& choice,
                          const GroupStep& at, double seconds);
    at::Tensor targets_of(const at::Tensor& embeddings, const at::Tensor& axes) const;

    GassParams params_;
    MethodSetup setup_;
    at::Tensor kept_embeddings_;  ///< of the images that were selected; undefined if none were
    std::vector<at::Tensor> places_;
    std::vector<MethodStep> steps_;
};

}  // namespace gass
