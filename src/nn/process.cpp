#include "nn/process.h"

#include "core/fail.h"

#include <ATen/Parallel.h>
#include <malloc.h>
#include <omp.h>

#include <exception>
#include <latch>
#include <thread>
#include <vector>

// What runs is the OpenMP that LibTorch brings along, which may be older than this function or none.
#pragma weak omp_pause_resource_all

namespace gass::nn {
namespace {

/// How many threads there can be beside this one, up to `wanted`.
std::int64_t startable(std::int64_t wanted) {
    std::latch all_tried(1);
    std::vector<std::jthread> threads;
    try {
        while (std::ssize(threads) < wanted) threads.emplace_back([&] { all_tried.wait(); });
    } catch (const std::exception&) {
        // As many as there are, then. It is std::bad_alloc if their stacks have taken all memory.
    }
    all_tried.count_down();
    return std::ssize(threads);
}

}  // namespace

void use_threads(std::int64_t count) {
    // Asked first: a pool of LibTorch's own, which setting the number starts, waits for ever for threads that
    // it did not get.
    const std::int64_t wanted = count > 0 ? count : at::get_num_threads();
    if (const std::int64_t possible = 1 + startable(wanted - 1); possible < wanted) {
        fail(ErrorCode::device, "threads",
             "the system gives this process {} threads, {} are wanted; ask for fewer", possible, wanted);
    }
    if (count > 0) at::set_num_threads(static_cast<int>(count));
}

void end_helpers() {
    // Soft: settings, the number of threads among them, stay.
    if (&omp_pause_resource_all != nullptr) omp_pause_resource_all(omp_pause_soft);
}

void keep_freed_memory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest value that glibc takes
    mallopt(M_TRIM_THRESHOLD, 1024 << 20);
#endif
}

}  // namespace gass::nn
