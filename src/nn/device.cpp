#include "nn/device.h"

#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"
#include "core/text.h"
#include "nn/libtorch_error.h"

#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <utility>

namespace gass {
namespace {

constexpr std::array<std::pair<std::string_view, at::ScalarType>, 3> kDtypes{
    {{"fp32", at::kFloat}, {"bf16", at::kBFloat16}, {"fp16", at::kHalf}}};

struct Gpus {
    int count = 0;
    std::string objection;  // why there are none
    bool has_driver = false;
};

/// Loads LibTorch's CUDA half, which we do not link: one program serves machines with a GPU and those that
/// have no driver, or none of CUDA's 3 GB of libraries, and on these it starts 0.2 s sooner. LibTorch asks
/// for its CUDA half once, so nothing may ask before this.
Gpus load_cuda() {
    if (::dlopen("libcuda.so.1", RTLD_NOW) == nullptr) return {.objection = "there is no NVIDIA driver here"};
    if (::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        return {
            .objection = fmt::format(
                "LibTorch's half for GPUs cannot be loaded ({}); a LibTorch for CPUs has none", ::dlerror()),
            .has_driver = true};
    }
    const int count = at::hasCUDA() ? static_cast<int>(at::accelerator::deviceCount()) : 0;
    return {.count = count,
            .objection = count == 0 ? "the NVIDIA driver shows no GPU that LibTorch can use" : "",
            .has_driver = true};
}

const Gpus& gpus() {
    static const Gpus found = load_cuda();
    return found;
}

}  // namespace

at::Device find_device(std::string_view name) {
    if (name == "cpu") return at::kCPU;
    if (name == "auto") {
        if (gpus().count > 0) return {at::kCUDA, 0};
        if (gpus().has_driver) log::warn("[`device`] the CPU is used: {}", gpus().objection);
        return at::kCPU;
    }
    constexpr std::string_view kNumbered = "cuda:";
    const int index = name == "cuda" ? 0
                      : name.starts_with(kNumbered)
                          ? parse_number<int>(name.substr(kNumbered.size())).value_or(-1)
                          : -1;
    if (index < 0)
        fail(ErrorCode::usage, SettingKey("device"), "expected auto, cpu, cuda or cuda:N, got {}",
             in_quotes(name));
    if (const int count = gpus().count; index >= count) {
        fail(ErrorCode::device, SettingKey("device"), "no such device: {}; `device` cpu works everywhere",
             count == 0   ? gpus().objection
             : count == 1 ? "there is 1 CUDA device here"
                          : fmt::format("there are {} CUDA devices here", count));
    }
    return {at::kCUDA, static_cast<at::DeviceIndex>(index)};
}

at::ScalarType find_dtype(std::string_view name, at::Device device) {
    if (name == "auto") return device.is_cpu() ? at::kFloat : at::kBFloat16;
    for (const auto& [known, dtype] : kDtypes) {
        if (known != name) continue;
        if (dtype == at::kHalf && device.is_cpu())
            fail(ErrorCode::usage, SettingKey("dtype"), "fp16 is for GPUs; bf16 is the fast type on CPUs");
        return dtype;
    }
    fail(ErrorCode::usage, SettingKey("dtype"), "expected auto, fp32, bf16 or fp16, got {}", in_quotes(name));
}

std::string dtype_name(at::ScalarType dtype) {
    for (const auto& [name, known] : kDtypes) {
        if (known == dtype) return std::string(name);
    }
    return "";
}

void prepare_device(at::Device device) {
    if (device.is_cpu()) return;
    // cuBLAS chooses its sums by the workspace it gets; a fixed one gives the same bytes every time.
    ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 1);
    at::globalContext().lazyInitDevice(at::kCUDA);
    at::globalContext().setBenchmarkCuDNN(false);
    at::globalContext().setDeterministicCuDNN(true);
    // fp32 is fp32: TF32 keeps 10 bits of a number, and moves on the sphere are smaller than that. These are
    // the process's switches, so nobody turns them while others may compute.
    at::globalContext().setAllowTF32CuDNN(false);
    at::globalContext().setAllowTF32CuBLAS(false);
}

void synchronize(at::Device device) {
    if (!device.is_cpu()) at::accelerator::synchronizeDevice(device.index());
}

void fail_in_libtorch(at::Device device, const c10::Error& error) {
    if (nn::is_out_of_memory(error)) {
        fail(ErrorCode::out_of_memory, device.str(),
             "memory ran out with one image at a time; a smaller size, `vae_tiling` or `offload_to_cpu` take "
             "less ({})",
             nn::first_line(error));
    }
    fail(device.is_cpu() ? ErrorCode::failure : ErrorCode::device, device.str(), "{}", nn::first_line(error));
}

void give_back_memory(at::Device device) {
    if (!device.is_cpu()) at::accelerator::emptyCache();
}

}  // namespace gass
