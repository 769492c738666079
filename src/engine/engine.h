#pragma once

#include "catalog/model.h"
#include "engine/request.h"
#include "guidance/dial.h"
#include "io/image.h"

#include <gass/record.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

class Backbone;

/// Seconds that the parts of a generation took. `method` is a part of `denoise`; `load`, of the first group
/// of a run, is the caller's to fill in.
struct Timings {
    double load = 0.0;
    double text = 0.0;
    double denoise = 0.0;
    double method = 0.0;
    double decode = 0.0;
};

/// The images of one request.
struct Group {
    std::vector<Image> images;
    std::vector<std::uint64_t> seeds;     ///< of the images, which a selecting method chose
    std::vector<std::size_t> places;      ///< of these seeds among the request's
    std::vector<std::string> prompts;     ///< of the images: the request's, with its choices made
    std::int64_t chunk = 0;               ///< images per network call
    std::uint64_t peak_device_bytes = 0;  ///< of GPU memory in use at once; 0 on a CPU
    bool complete = true;  ///< false: stopped while images were decoded; those that are there are whole
    Timings timings;
    std::optional<Spread> spread;  ///< of the images as the guide sees them; none if it did not look
    std::optional<std::vector<MethodStep>> method_steps;  ///< what the method did; none if it tells nothing
};

/// The spread of a group that was made to be measured, with all its numbers. Throws interrupted if the group
/// is not whole, and failure if the guide could not see it.
const Spread& measured_spread(const Group& group, std::string_view where);

/// How a caller watches a generation and stops it. Each may be empty.
struct Events {
    std::function<void(std::string_view phase, std::size_t done, std::size_t total)> progress;
    /// The group as it would look now, at half size, every `preview_interval` steps.
    std::function<void(const std::vector<Image>& images, std::size_t step)> preview;
    std::int64_t preview_interval = 5;
    std::function<bool()> should_stop;
};

/// One model on one device, ready to generate groups.
class Engine {
  public:
    /// Opens the model and checks that its parts fit together; reads no weights yet.
    explicit Engine(const EngineOptions& options);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// A method as the user writes it with all its parameters, by this model's dial. Throws usage.
    std::string complete_method(std::string_view method) const;
    /// What this model answers to: which knobs a strength turns.
    Family family() const;
    /// Fills in what the request leaves open, from the model, and checks all of it. Throws usage.
    void complete(Request& request) const;
    /// Reads the networks, unless they are to take turns. Call before the first `generate`.
    void load();
    /// Generates a completed request. Throws interrupted if it is stopped before an image is decoded.
    Group generate(const Request& request, const Events& events) const;

    const Model& model() const { return model_; }
    const EngineOptions& options() const { return options_; }
    /// The name of the encoder that methods see through; empty if neither the user nor the model names one.
    const std::string& guide() const { return guide_; }
    double load_seconds() const { return load_seconds_; }
    /// What "auto" became: "bf16", "cuda".
    bool offloads() const;
    std::string dtype() const;
    std::string device() const;
    std::int64_t threads() const;
    /// Identifies the model's files; computed in the background while images are made, if it is loaded.
    std::string fingerprint() const;

  private:
    struct State;
    class Attempt;
    std::int64_t chunk_for(const Request& request) const;
    void open_guide(std::string_view for_what) const;
    void begin_fingerprint() const;

    EngineOptions options_;
    Model model_;
    std::string guide_;
    std::unique_ptr<State> state_;
    double load_seconds_ = 0.0;
};

}  // namespace gass
