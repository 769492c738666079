#pragma once

#include "io/weights.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gass::nn {

/// Where a network's tensors come from: a file, or chance.
class ParameterSource {
  public:
    virtual ~ParameterSource() = default;
    ParameterSource() = default;
    ParameterSource(const ParameterSource&) = delete;
    ParameterSource& operator=(const ParameterSource&) = delete;

    /// The tensor of that full name, which must have that shape.
    virtual at::Tensor take(const std::string& name, at::IntArrayRef shape) = 0;
    virtual bool has(const std::string& name) const = 0;
    /// Says that a file may hold this tensor although the network does not use it.
    virtual void allow(const std::string& name) = 0;
};

/// A place in the tree of names. A layer's constructor asks for its tensors here, by their names in the
/// published files: `attn / "to_q"` is the place of a part, `place.tensor("weight", {n, m})` a tensor.
class Parameters {
  public:
    explicit Parameters(ParameterSource& source) : source_(&source) {}

    Parameters operator/(std::string_view part) const;
    Parameters operator/(std::int64_t index) const { return *this / std::to_string(index); }

    at::Tensor tensor(std::string_view name, at::IntArrayRef shape) const;
    bool has(std::string_view name) const;
    void allow(std::string_view name) const;

  private:
    Parameters(ParameterSource* source, std::string prefix) : source_(source), prefix_(std::move(prefix)) {}
    std::string full_name(std::string_view name) const { return prefix_ + std::string(name); }

    ParameterSource* source_;
    std::string prefix_;  // empty or ends with a dot
};

/// In which form a network computes.
struct Placement {
    at::ScalarType dtype = at::kFloat;
    at::Device device = at::kCPU;
};

/// Compares what a network asks for with what a file holds, without reading or allocating: it hands out
/// tensors without memory.
class WeightChecker : public ParameterSource {
  public:
    explicit WeightChecker(const Weights& weights) : weights_(weights) {}

    at::Tensor take(const std::string& name, at::IntArrayRef shape) override;
    bool has(const std::string& name) const override { return weights_.find(name) != nullptr; }
    void allow(const std::string& name) override { known_.insert(name); }
    /// Throws model_invalid with the names of what is missing, unexpected or of another shape.
    void finish(std::string_view network) const;

  private:
    const Weights& weights_;
    std::set<std::string> known_;
    std::vector<std::string> missing_;
    std::vector<std::string> misshapen_;
};

/// Reads tensors that WeightChecker has found right. Floating-point ones take the placement's type.
class WeightLoader : public ParameterSource {
  public:
    WeightLoader(const Weights& weights, Placement placement) : weights_(weights), placement_(placement) {}

    at::Tensor take(const std::string& name, at::IntArrayRef shape) override;
    bool has(const std::string& name) const override { return weights_.find(name) != nullptr; }
    void allow(const std::string&) override {}

  private:
    const Weights& weights_;
    Placement placement_;
};

/// Makes networks of any size without a file: normal values whose size keeps activations in range. For
/// benchmarks.
class RandomParameters : public ParameterSource {
  public:
    explicit RandomParameters(Placement placement) : placement_(placement) {}

    at::Tensor take(const std::string& name, at::IntArrayRef shape) override;
    bool has(const std::string&) const override { return false; }
    void allow(const std::string&) override {}

  private:
    Placement placement_;
};

/// Checks that a file holds every tensor of a network, no other, and each in its shape; reads and allocates
/// nothing. `Network` is constructed from (Parameters, config).
template <class Network, class Config>
void check_network(const Weights& weights, const Config& config, std::string_view name) {
    WeightChecker checker(weights);
    { const Network shape_only(Parameters(checker), config); }
    checker.finish(name);
}

/// Makes a network from a file: checks it, and only then reads.
template <class Network, class Config>
Network load_network(const Weights& weights, const Config& config, Placement placement,
                     std::string_view name) {
    check_network<Network>(weights, config, name);
    WeightLoader loader(weights, placement);
    return Network(Parameters(loader), config);
}

}  // namespace gass::nn
