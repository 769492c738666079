#include "nn/parameters.h"

#include "nn/layers.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "tensor/tensor_file.h"

#include <ATen/ATen.h>

namespace gass::nn {
namespace {

using test::expect_error;

struct TwoLayers {
    Linear first;
    LayerNorm norm;

    TwoLayers(const Parameters& place, std::int64_t width)
        : first(place / "layers" / std::int64_t{0}, width, 2 * width), norm(place / "norm", 2 * width, 1e-5) {
        place.allow("position_ids");
    }
    at::Tensor operator()(const at::Tensor& x) const { return norm(first(x)); }
};

Weights write(const test::TemporaryFolder& folder, const std::map<std::string, at::Tensor>& tensors) {
    write_tensors(folder / "model.safetensors", tensors);
    return Weights::open(ModelFolder(folder.path()));
}

std::map<std::string, at::Tensor> right_tensors() {
    return {{"layers.0.weight", at::randn({6, 3}, at::kHalf)},
            {"layers.0.bias", at::randn({6}, at::kHalf)},
            {"norm.weight", at::randn({6}, at::kHalf)},
            {"norm.bias", at::randn({6}, at::kHalf)},
            {"position_ids", at::arange(4)}};
}

TEST(Parameters, ANetworkLoadsByTheNamesInTheFile) {
    const test::TemporaryFolder folder;
    const auto tensors = right_tensors();
    const Weights weights = write(folder, tensors);
    const auto network = load_network<TwoLayers>(weights, 3, Placement{}, "TwoLayers");
    EXPECT_EQ(network.first.weight.scalar_type(), at::kFloat);
    EXPECT_TRUE(at::equal(network.first.weight, tensors.at("layers.0.weight").to(at::kFloat)));
    EXPECT_EQ(
        load_network<TwoLayers>(weights, 3, Placement{at::kBFloat16}, "TwoLayers").norm.bias.scalar_type(),
        at::kBFloat16);
}

TEST(Parameters, EverythingThatDoesNotFitIsReportedAtOnce) {
    const test::TemporaryFolder folder;
    auto tensors = right_tensors();
    tensors.erase("norm.bias");
    tensors["layers.0.weight"] = at::randn({3, 6});
    tensors["layers.1.weight"] = at::randn({1});
    const Weights weights = write(folder, tensors);
    try {
        load_network<TwoLayers>(weights, 3, Placement{}, "TwoLayers");
        FAIL() << "it was accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::model_invalid);
        for (const char* part :
             {"TwoLayers", "1 missing (\"norm.bias\")", "1 unexpected (\"layers.1.weight\")",
              "1 of another shape (\"layers.0.weight\" is [3, 6], expected [6, 3])", "model.safetensors"}) {
            EXPECT_THAT(error.what(), ::testing::HasSubstr(part));
        }
    }
}

TEST(Parameters, TheCheckAllocatesNothing) {
    const test::TemporaryFolder folder;
    const Weights weights = write(folder, right_tensors());
    // 2^20 × 2^21 floats would be 8 TB.
    expect_error(ErrorCode::model_invalid, "of another shape",
                 [&] { load_network<TwoLayers>(weights, std::int64_t{1} << 20U, Placement{}, "TwoLayers"); });
}

TEST(Parameters, RandomNetworksStayInRange) {
    RandomParameters source(Placement{});
    const TwoLayers network(Parameters(source), 256);
    const at::Tensor y = network(at::randn({4, 256}));
    EXPECT_TRUE(y.isfinite().all().item<bool>());
}

}  // namespace
}  // namespace gass::nn
