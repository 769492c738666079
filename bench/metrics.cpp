// usage: gass_bench_metrics NAME N D FILE …: times the metrics on features in raw little-endian fp32 files, N
// rows of D numbers, and prints {"NAME": {"seconds": best of 3, "peak_megabytes": …, "value": …}, …}. What a
// NAME needs:
//   vendi            one set
//   statistics       one set
//   prdc, fid, kid   two sets, "NAME N D FILE NAME N D FILE": real or reference first, then generated

#include "core/json.h"
#include "metrics/frechet.h"
#include "metrics/kernel_distance.h"
#include "metrics/prdc.h"
#include "metrics/vendi.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using gass::Json;
using Sets = std::vector<at::Tensor>;

constexpr std::int64_t kNeighbours = 5;

struct Metric {
    std::size_t sets;
    std::function<Json(const Sets&)> compute;
};

const std::map<std::string, Metric>& metrics() {
    static const std::map<std::string, Metric> known{
        {"vendi", {1, [](const Sets& sets) -> Json { return gass::vendi(sets[0]); }}},
        {"statistics",
         {1,
          [](const Sets& sets) -> Json {
              return gass::statistics_of(sets[0]).covariance.trace().item<double>();
          }}},
        {"prdc",
         {2,
          [](const Sets& sets) -> Json {
              const gass::Prdc found = gass::prdc(sets[0], sets[1], kNeighbours);
              return {found.precision.value, found.recall.value, found.density.value, found.coverage.value};
          }}},
        {"fid",
         {2,
          [](const Sets& sets) -> Json {
              return gass::frechet_distance(gass::statistics_of(sets[1]), gass::statistics_of(sets[0]));
          }}},
        {"kid",
         {2, [](const Sets& sets) -> Json { return gass::kernel_distance(sets[1], sets[0]).mean.value; }}},
    };
    return known;
}

at::Tensor read_features(const char* const* words) {
    at::Tensor features = at::empty({std::atoll(words[1]), std::atoll(words[2])}, at::kFloat);
    std::ifstream file(words[3], std::ios::binary);
    const auto bytes = static_cast<std::streamsize>(features.nbytes());
    if (!file.read(static_cast<char*>(features.mutable_data_ptr()), bytes)) {
        throw std::runtime_error(std::string("cannot read ") + words[3]);
    }
    return features;
}

/// The process's largest resident memory since the last reset.
double peak_megabytes() {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("VmHWM:")) return std::atof(line.c_str() + 6) / 1000;
    }
    return 0;
}

Json measured(const Metric& metric, const Sets& sets) {
    constexpr int kRepeats = 3;
    std::ofstream("/proc/self/clear_refs") << "5";
    double best = std::numeric_limits<double>::infinity();
    Json value;
    for (int i = 0; i < kRepeats; ++i) {
        const auto start = std::chrono::steady_clock::now();
        value = metric.compute(sets);
        best =
            std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return {{"seconds", best}, {"peak_megabytes", peak_megabytes()}, {"value", value}};
}

}  // namespace

int main(int argc, char** argv) {
    constexpr int kWords = 4;
    const c10::InferenceMode inference;
    Json report = Json::object();
    for (int i = 1; i + kWords <= argc;) {
        const std::string name = argv[i];
        const Metric& metric = metrics().at(name);
        Sets sets;
        for (; sets.size() < metric.sets && i + kWords <= argc; i += kWords) {
            sets.push_back(read_features(argv + i));
        }
        if (sets.size() < metric.sets) return 2;
        report[name] = measured(metric, sets);
    }
    std::puts(report.dump().c_str());
    return report.empty() ? 2 : 0;
}
