#pragma once

#include "core/json.h"
#include "io/weights.h"
#include "nn/parameters.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gass::test {

using Tensors = std::map<std::string, at::Tensor>;

/// One parity case that tools/reference/common_networks.py wrote: a network's files, inputs, and what the
/// reference makes of them.
struct ParityCase {
    std::string name;
    std::string network;  // the kind
    nn::Placement placement;
    Json options;
    Json config;
    std::string config_path;
    Weights weights;
    Tensors inputs;
    Tensors outputs;
    Tensors cotangents;
    Tensors gradients;

    explicit ParityCase(const std::filesystem::path& folder);
};

/// The cases of a kind below a fixture folder; fails the test if there is none.
std::vector<ParityCase> parity_cases(const std::string& fixture, const std::string& network);

/// max |a − b| / max |b|
double relative_error(const at::Tensor& ours, const at::Tensor& reference);

/// Runs `network` on the inputs and compares every output, then the gradients of Σ ⟨out, cot⟩ with respect to
/// the inputs that the reference differentiated. Then runs it again without autograd: the same values must
/// come out. fp32: at most 1e-4; bf16: at most `bf16_tolerance`.
void expect_parity(const ParityCase& parity, const std::function<Tensors(const Tensors&)>& network,
                   double bf16_tolerance = 0.04);

}  // namespace gass::test
