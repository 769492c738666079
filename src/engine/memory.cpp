#include "engine/memory.h"

#include "core/fail.h"

#include <ATen/DeviceAccelerator.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace gass {
namespace {

/// The number in a file of the kernel's that holds nothing else; "max" and no file are no number.
std::optional<double> number_in(const char* path) {
    double value = 0;
    std::ifstream file(path);
    return file >> value ? std::optional(value) : std::nullopt;
}

double available_to_system() {
    std::ifstream file("/proc/meminfo");
    std::string key;
    double kilobytes = 0;
    while (file >> key >> kilobytes) {
        if (key == "MemAvailable:") return kilobytes * 1024;
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return std::numeric_limits<double>::infinity();
}

/// What a container's limit leaves; its count of used memory includes the page cache, which gives way.
double left_in_container() {
    const auto limit = number_in("/sys/fs/cgroup/memory.max");
    const auto used = number_in("/sys/fs/cgroup/memory.current");
    if (!limit || !used) return std::numeric_limits<double>::infinity();
    double cache = 0;
    std::ifstream file("/sys/fs/cgroup/memory.stat");
    std::string key;
    double bytes = 0;
    while (file >> key >> bytes) {
        if (key == "file") cache = bytes;
    }
    return *limit - *used + cache;
}

}  // namespace

double free_memory(c10::Device device) {
    if (device.is_cpu()) return std::min(available_to_system(), left_in_container());
    c10::DeviceAllocator* allocator = c10::getDeviceAllocator(device.type());
    const auto [free, total] = allocator->getMemoryInfo(device.index());
    const auto stats = allocator->getDeviceStats(device.index());
    const std::int64_t cached = stats.reserved_bytes[0].current - stats.allocated_bytes[0].current;
    return static_cast<double>(free) + static_cast<double>(cached);
}

double used_memory(c10::Device device) {
    if (device.is_cpu()) return 0;
    return static_cast<double>(
        c10::getDeviceAllocator(device.type())->getDeviceStats(device.index()).allocated_bytes[0].current);
}

std::uint64_t peak_memory(c10::Device device) {
    if (device.is_cpu()) return 0;
    return static_cast<std::uint64_t>(
        c10::getDeviceAllocator(device.type())->getDeviceStats(device.index()).allocated_bytes[0].peak);
}

void reset_peak_memory(c10::Device device) {
    if (!device.is_cpu()) c10::getDeviceAllocator(device.type())->resetPeakStats(device.index());
}

std::int64_t images_that_fit(std::int64_t images, double bytes_each, double free_bytes, const char* advice) {
    constexpr double kUsable = 0.8;
    constexpr double kHopeless = 1.5;  // the estimate may be too high, but not by this much
    if (bytes_each > kHopeless * free_bytes) {
        fail(ErrorCode::out_of_memory, "memory", "one image needs about {:.1f} GB, {:.1f} GB are free; {}",
             bytes_each / 1e9, free_bytes / 1e9, advice);
    }
    return static_cast<std::int64_t>(
        std::clamp(kUsable * free_bytes / bytes_each, 1.0, static_cast<double>(images)));
}

}  // namespace gass
