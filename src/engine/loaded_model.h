#pragma once

#include "catalog/model.h"
#include "guidance/dial.h"
#include "nn/parameters.h"
#include "pipelines/backbone.h"
#include "pipelines/image_encoder.h"

#include <gass/engine.h>

#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace gass {

/// A model on a device: networks, tokenizers, configuration. Immutable once it is made, but for what it reads
/// when that is first asked for, under locks: any number of threads may use it.
class LoadedModel {
  public:
    /// Opens the model and checks that its parts fit together; reads no weights.
    explicit LoadedModel(const EngineOptions& options);

    const EngineOptions& options() const { return options_; }
    const Model& model() const { return model_; }
    const Backbone& backbone() const { return *backbone_; }
    const nn::Placement& placement() const { return placement_; }
    at::Device device() const { return placement_.device; }
    std::int64_t threads() const { return threads_; }
    Family family() const { return backbone_->predicts_flow() ? Family::flow : Family::diffusion; }
    /// From strengths to knobs, as far as somebody calibrated it with or without guidance, as the model has
    /// it by default. Throws model_invalid if that is damaged.
    Dial dial(bool is_guided) const;

    /// The encoder that methods see through, by name; empty: none.
    const std::string& guide_name() const { return guide_name_; }
    /// The encoder itself, opened when it is first asked for. Throws usage if there is none.
    const ImageEncoder& guide(std::string_view for_what) const;
    /// The same for who can do without; null if there is none, or if this machine lacks the one that the
    /// model names.
    const ImageEncoder* guide_if_here() const;

    /// Whether networks take turns on the device, which does not hold all of them.
    bool offloads() const { return offloads_; }
    /// Reads the networks now, unless they take turns.
    void load() const;
    /// Gives their memory back.
    void release() const;
    /// Memory for activations; `coming` bytes of weights are still to be loaded.
    double free_bytes(double coming = 0) const;
    /// Of the model's files; the first who asks begins to compute it, in the background.
    std::shared_future<std::string> fingerprint() const;

  private:
    EngineOptions options_;
    Model model_;
    std::string guide_name_;
    nn::Placement placement_;
    std::int64_t threads_;
    std::unique_ptr<const Backbone> backbone_;
    bool offloads_;
    mutable std::mutex mutex_;  // of what follows
    mutable std::unique_ptr<const ImageEncoder> guide_;
    mutable std::shared_future<std::string> fingerprint_;
};

}  // namespace gass
