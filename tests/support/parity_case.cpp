#include "support/parity_case.h"

#include "io/file.h"
#include "tensor/tensor_file.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

namespace gass::test {
namespace {

namespace fs = std::filesystem;

Tensors with_prefix(const fs::path& file, const std::string& prefix) {
    Tensors tensors;
    const auto opened = std::make_shared<const SafetensorsFile>(file);
    for (const TensorInfo& tensor : opened->tensors()) {
        if (tensor.name.starts_with(prefix)) {
            tensors[tensor.name.substr(prefix.size())] = load_tensor({opened, &tensor}).clone();
        }
    }
    return tensors;
}

}  // namespace

ParityCase::ParityCase(const fs::path& folder)
    : name(folder.filename().string()),
      config(parse_json(read_text_file(folder / "config.json"), (folder / "config.json").string())),
      config_path((folder / "config.json").string()),
      weights(Weights::open(ModelFolder(folder))),
      inputs(with_prefix(folder / "io.safetensors", "in.")),
      outputs(with_prefix(folder / "io.safetensors", "out.")),
      cotangents(with_prefix(folder / "io.safetensors", "cot.")),
      gradients(with_prefix(folder / "io.safetensors", "grad.")) {
    const Json description =
        parse_json(read_text_file(folder / "case.json"), (folder / "case.json").string());
    network = description.at("network").get<std::string>();
    options = description.at("options");
    placement.dtype = description.at("dtype") == "bfloat16" ? at::kBFloat16 : at::kFloat;
}

std::vector<ParityCase> parity_cases(const std::string& fixture, const std::string& network) {
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(fs::path(GASS_FIXTURES_DIR) / fixture)) {
        if (entry.is_directory()) folders.push_back(entry.path());
    }
    std::sort(folders.begin(), folders.end());
    std::vector<ParityCase> cases;
    for (const fs::path& folder : folders) {
        ParityCase parity(folder);
        if (parity.network == network) cases.push_back(std::move(parity));
    }
    EXPECT_FALSE(cases.empty()) << "no parity case of " << network << " in " << fixture;
    return cases;
}

double relative_error(const at::Tensor& ours, const at::Tensor& reference) {
    const at::Tensor expected = reference.to(at::kDouble);
    const double largest = expected.abs().max().item<double>();
    const double difference = (ours.to(at::kDouble) - expected).abs().max().item<double>();
    return difference / std::max(largest, 1e-30);  // NaN stays NaN and fails every comparison
}

void expect_parity(const ParityCase& parity, const std::function<Tensors(const Tensors&)>& network,
                   double bf16_tolerance) {
    const double tolerance = parity.placement.dtype == at::kFloat ? 1e-4 : bf16_tolerance;
    const auto compare = [&](const std::string& what, const at::Tensor& ours, const at::Tensor& reference,
                             double& largest) {
        ASSERT_TRUE(ours.defined()) << parity.name << ": " << what << " is missing";
        ASSERT_EQ(ours.sizes(), reference.sizes()) << parity.name << ": " << what;
        const double error = relative_error(ours, reference);
        EXPECT_LE(error, tolerance) << parity.name << ": " << what;
        largest = std::max(largest, error);
    };

    double output_error = 0;
    double gradient_error = 0;
    Tensors leaves = parity.inputs;
    for (const auto& [name, gradient] : parity.gradients) leaves[name].requires_grad_(true);
    Tensors outputs = network(leaves);
    for (const auto& [name, reference] : parity.outputs)
        compare("output " + name, outputs[name], reference, output_error);

    if (!parity.gradients.empty()) {
        std::vector<at::Tensor> roots;
        std::vector<at::Tensor> cotangents;
        for (const auto& [name, cotangent] : parity.cotangents) {
            if (!outputs[name].requires_grad()) continue;
            roots.push_back(outputs[name]);
            cotangents.push_back(cotangent);
        }
        std::vector<at::Tensor> wanted;
        for (const auto& [name, gradient] : parity.gradients) wanted.push_back(leaves[name]);
        const auto gradients = torch::autograd::grad(roots, wanted, cotangents);
        std::size_t i = 0;
        for (const auto& [name, gradient] : parity.gradients)
            compare("gradient of " + name, gradients[i++], gradient, gradient_error);
    }

    const at::NoGradGuard no_grad;
    Tensors again = network(parity.inputs);
    for (const auto& [name, reference] : parity.outputs)
        compare("output without autograd " + name, again[name], reference, output_error);
    // docs/parity.md is made from these lines.
    const std::string gradient = parity.gradients.empty() ? "-" : fmt::format("{:.1e}", gradient_error);
    fmt::print("parity {} {} {} {:.1e} {}\n", parity.network, parity.name,
               parity.placement.dtype == at::kFloat  ? "fp32"
               : parity.placement.dtype == at::kHalf ? "fp16"
                                                     : "bf16",
               output_error, gradient);
}

}  // namespace gass::test
