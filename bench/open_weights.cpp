// usage: bench_open_weights FILE TENSOR REPEATS: opens a safetensors file, reads the first byte of a tensor,
// and prints the median time in milliseconds and the resident memory it added in MB.

#include "io/safetensors.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

double resident_megabytes() {
    std::ifstream file("/proc/self/statm");
    double total = 0;
    double resident = 0;
    file >> total >> resident;
    return resident * 4096 / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    std::vector<double> times;
    const double before = resident_megabytes();
    double after = before;
    int sum = 0;
    for (int i = 0; i < std::atoi(argv[3]); ++i) {
        const auto start = std::chrono::steady_clock::now();
        const gass::SafetensorsFile file(argv[1]);
        sum += static_cast<int>(file.bytes(*file.find(argv[2]))[0]);
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
        after = std::max(after, resident_megabytes());
    }
    std::sort(times.begin(), times.end());
    std::printf("%.4f %.2f %d\n", times[times.size() / 2], after - before, sum);
}
