// usage: bench_networks FOLDER DEVICE DTYPE REPEATS: runs the network of a case that bench/networks.py made,
// and prints {"milliseconds": median, "minimum": …, "peak_megabytes": …, "error": …, "exact_error": …}: the
// peak is that of the forward passes, weights included; the errors are relative to the reference's result in
// the same type and in fp32.

#include "io/file.h"
#include "models/autoencoder_kl.h"
#include "models/clip.h"
#include "models/dinov2.h"
#include "models/inception.h"
#include "models/mmdit.h"
#include "models/resnet.h"
#include "models/t5.h"
#include "models/unet2d.h"
#include "nn/process.h"
#include "tensor/tensor_file.h"

#include <ATen/ATen.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/InferenceMode.h>
#include <torch/cuda.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using gass::Json;
using gass::nn::Placement;
namespace fs = std::filesystem;

struct Case {
    Json config;
    std::string config_path;
    gass::Weights weights;
    std::map<std::string, at::Tensor> tensors;  // of io.safetensors, on the device
    Placement placement;

    const at::Tensor& input(const std::string& name) const { return tensors.at("in." + name); }
};

using Forward = std::function<at::Tensor()>;

template <class Network, class Config>
std::shared_ptr<const Network> load(const Case& bench) {
    return std::make_shared<const Network>(gass::nn::load_network<Network>(
        bench.weights, Config::from_json(bench.config, bench.config_path), bench.placement, "the network"));
}

/// A kind of network whose forward pass takes the named inputs; `run` picks what is compared.
template <class Network, class Config, class Run>
std::function<Forward(const Case&)> kind(std::vector<std::string> names, Run run) {
    return [names = std::move(names), run](const Case& bench) -> Forward {
        std::vector<at::Tensor> inputs;
        for (const std::string& name : names) inputs.push_back(bench.input(name));
        return [network = load<Network, Config>(bench), inputs, run] { return run(*network, inputs); };
    };
}

using Inputs = const std::vector<at::Tensor>&;

const std::map<std::string, std::function<Forward(const Case&)>>& kinds() {
    using namespace gass;
    static const std::map<std::string, std::function<Forward(const Case&)>> known{
        {"mmdit",
         kind<Mmdit, MmditConfig>({"latents", "timestep", "context", "pooled"},
                                  [](const Mmdit& n, Inputs in) { return n(in[0], in[1], in[2], in[3]); })},
        {"unet2d",
         kind<UNet2d, UNet2dConfig>({"latents", "timestep", "context"},
                                    [](const UNet2d& n, Inputs in) { return n(in[0], in[1], in[2]); })},
        {"vae_decode", kind<AutoencoderKl, AutoencoderKlConfig>(
                           {"codes"}, [](const AutoencoderKl& n, Inputs in) { return n.decode(in[0]); })},
        {"vae_encode",
         kind<AutoencoderKl, AutoencoderKlConfig>(
             {"pixels"}, [](const AutoencoderKl& n, Inputs in) { return n.encode(in[0]).mean; })},
        {"clip_text", kind<ClipText, ClipTextConfig>(
                          {"ids"}, [](const ClipText& n, Inputs in) { return n(in[0]).last_hidden_state; })},
        {"clip_image",
         kind<Clip, ClipConfig>({"pixels"},
                                [](const Clip& n, Inputs in) { return n.vision(in[0]).image_embeds; })},
        {"t5", kind<T5Encoder, T5Config>({"ids"}, [](const T5Encoder& n, Inputs in) { return n(in[0]); })},
        {"resnet", kind<ResNet, ResNetConfig>(
                       {"pixels"}, [](const ResNet& n, Inputs in) { return n(in[0]).embeddings; })},
        {"inception", kind<Inception, InceptionConfig>(
                          {"pixels"}, [](const Inception& n, Inputs in) { return n(in[0]).features; })},
        {"dinov2",
         kind<Dinov2, Dinov2Config>({"pixels"}, [](const Dinov2& n, Inputs in) { return n(in[0]).pooled; })},
    };
    return known;
}

Json read_json(const fs::path& path) {
    return gass::parse_json(gass::read_text_file(path), path.string());
}

Case open_case(const fs::path& folder, Placement placement) {
    Case bench{read_json(folder / "config.json"),
               (folder / "config.json").string(),
               gass::Weights::open(gass::ModelFolder(folder)),
               {},
               placement};
    const auto io = std::make_shared<const gass::SafetensorsFile>(folder / "io.safetensors");
    for (const gass::TensorInfo& tensor : io->tensors()) {
        bench.tensors[tensor.name] = gass::load_tensor({io, &tensor}).clone().to(placement.device);
    }
    return bench;
}

/// The process's largest resident memory since the last reset.
double peak_resident_megabytes() {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("VmHWM:")) return std::atof(line.c_str() + 6) / 1000;
    }
    return 0;
}

void reset_peak(at::Device device) {
    if (device.is_cuda()) {
        c10::getDeviceAllocator(device.type())->resetPeakStats(device.index());
    } else {
        std::ofstream("/proc/self/clear_refs") << "5";
    }
}

double peak_megabytes(at::Device device) {
    if (!device.is_cuda()) return peak_resident_megabytes();
    constexpr std::size_t kAggregate = 0;
    const auto stats = c10::getDeviceAllocator(device.type())->getDeviceStats(device.index());
    return static_cast<double>(stats.allocated_bytes[kAggregate].peak) / 1e6;
}

double relative_error(const at::Tensor& ours, const at::Tensor& reference) {
    const at::Tensor expected = reference.to(at::kDouble);
    return ((ours.to(at::kDouble) - expected).abs().max() / expected.abs().max()).item<double>();
}

double milliseconds_of(const Forward& forward, at::Device device) {
    const auto start = std::chrono::steady_clock::now();
    forward();
    if (device.is_cuda()) torch::cuda::synchronize();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    gass::nn::keep_freed_memory();
    const fs::path folder = argv[1];
    const at::Device device(std::string(argv[2]) == "cuda" ? "cuda:0" : argv[2]);
    const at::ScalarType dtype = std::string(argv[3]) == "bfloat16" ? at::kBFloat16 : at::kFloat;
    at::globalContext().setAllowTF32CuDNN(false);  // as the Python side: fp32 means fp32
    const c10::InferenceMode inference;
    const Case bench = open_case(folder, {dtype, device});
    const Forward forward =
        kinds().at(read_json(folder / "case.json").at("network").get<std::string>())(bench);

    constexpr int kWarmUps = 2;
    for (int i = 0; i < kWarmUps; ++i) milliseconds_of(forward, device);
    reset_peak(device);
    std::vector<double> times;
    for (int i = 0; i < std::atoi(argv[4]); ++i) times.push_back(milliseconds_of(forward, device));
    const double peak = peak_megabytes(device);
    std::sort(times.begin(), times.end());
    const at::Tensor result = forward();
    const Json report{{"milliseconds", times[times.size() / 2]},
                      {"minimum", times.front()},
                      {"peak_megabytes", peak},
                      {"error", relative_error(result, bench.tensors.at("out.result"))},
                      {"exact_error", relative_error(result, bench.tensors.at("exact.result"))}};
    std::puts(report.dump().c_str());
}
