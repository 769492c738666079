#pragma once

#include <gass/export.h>
#include <gass/image.h>
#include <gass/plan.h>
#include <gass/request.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

struct Group;
class LoadedModel;

/// A model, and how it uses the machine.
struct EngineOptions {
    std::string model = "mini-flow";  ///< embedded model, folder, or org/name in the Hugging Face cache
    std::string variant = {};         ///< weight files to take where they exist, "fp16"
    std::string guide = {};           ///< the encoder that methods see through; empty: the model's own
    std::string dtype = "auto";       ///< "fp32", "bf16", "fp16"
    std::string device = "auto";      ///< "cpu", "cuda", "cuda:1"
    std::int64_t threads = 0;         ///< 0: as many as there are cores
    double max_vram = 0.0;            ///< in GB; 0: all that is free
    bool offload_to_cpu = false;      ///< networks take turns on the device
    bool vae_tiling = false;          ///< decode large images in tiles
    bool vae_slicing = false;         ///< decode one image at a time
    bool no_t5 = false;               ///< leave out SD3's largest text encoder
};

/// How a caller watches a generation and stops it. Each may be empty; all are called by the thread that
/// generates.
struct Events {
    /// "denoise", "decode"; so many of so many steps are done.
    std::function<void(std::string_view phase, std::size_t done, std::size_t total)> progress;
    /// The group as it would look now, at half size, every `preview_interval` steps.
    std::function<void(const std::vector<Image>& images, std::size_t step)> preview;
    std::int64_t preview_interval = 5;
    /// True: generate() throws interrupted, or returns a group that is not complete if images were decoded
    /// already.
    std::function<bool()> should_stop;
};

/// One model on one device. Any number of threads may plan, generate and load at the same time: networks are
/// loaded once and shared, what a group changes is its own, and groups on one device take turns step by step,
/// so that each has the bytes that it has alone and none waits for another's end. Stopping one stops no
/// other.
class GASS_API Engine {
  public:
    /// Opens the model and checks that its parts fit together; reads no weights yet. Throws gass::Error.
    explicit Engine(const EngineOptions& options);
    ~Engine();
    Engine(Engine&&) noexcept;
    Engine& operator=(Engine&&) noexcept;

    /// Decides what the request leaves open, and checks all of it.
    Plan plan(const Request& request) const;
    /// Makes the group of a plan.
    Group generate(const Plan& plan, const Events& events = {}) const;
    /// Reads the networks, unless they are to take turns; otherwise each is read when it is first used.
    void load() const;
    /// What a plan will take.
    PlanCost cost(const Plan& plan) const;
    /// A plan as JSON, to be run later: what a group's record says of it, and its target.
    std::string save(const Plan& plan) const;
    /// The plan that `save` wrote, checked as any request is. Throws gass::Error for what is none.
    Plan saved_plan(std::string_view json) const;

    const EngineOptions& options() const;
    /// The name of the encoder that methods see through; empty if neither the user nor the model names one.
    const std::string& guide() const;
    /// What "auto" became: "bf16", "cuda".
    std::string dtype() const;
    std::string device() const;
    std::int64_t threads() const;
    bool offloads() const;
    /// Identifies the model's files; computed in the background while images are made.
    std::string fingerprint() const;

    const LoadedModel& loaded() const { return *model_; }

  private:
    std::unique_ptr<const LoadedModel> model_;
};

}  // namespace gass
