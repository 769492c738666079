#include "core/fail.h"
#include "engine.h"
#include "io/model_lookup.h"
#include "libtorch_lookup.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace gass::cli {
namespace {

/// How long LibTorch's threads wait actively for their next piece of work: some 0.1 ms. libgomp's own 30
/// times that is no faster on a machine with nothing else to do, and where others compute, too, threads then
/// wait out whole time slices in which the one they wait for could run (docs/generate.md has figures).
void wait_briefly() {
    if (std::getenv("OMP_WAIT_POLICY") == nullptr) ::setenv("GOMP_SPINCOUNT", "10000", /*overwrite=*/0);
}

/// Becomes the engine; returns only by an exception.
[[noreturn]] void start_engine(const CommandLine& line) {
    const std::filesystem::path engine = program_folder() / "gass-engine";
    if (const std::filesystem::path libraries = find_libtorch(); !libraries.empty()) {
        const char* others = std::getenv("LD_LIBRARY_PATH");
        const std::string path = libraries.string() + (others == nullptr ? "" : std::string(":") + others);
        ::setenv("LD_LIBRARY_PATH", path.c_str(), 1);
    }
    wait_briefly();
    ::execv(engine.c_str(), line.arguments);
    fail(ErrorCode::failure, engine.string(), "cannot be started: {}. It is installed beside gass",
         std::strerror(errno));
}

}  // namespace

Error as_error(const std::exception& error) {
    return {ErrorCode::failure, "gass", error.what()};
}

int verify_models(const CommandLine& line, const ModelsOptions&) {
    start_engine(line);
}

int generate_images(CommandLine& line, const GenerateOptions&) {
    start_engine(line);
}

int reproduce_image(const CommandLine& line, const ReproduceOptions&) {
    start_engine(line);
}

int compare_methods(CommandLine& line, const CompareOptions&) {
    start_engine(line);
}

int evaluate_suite(CommandLine& line, const EvalOptions&) {
    start_engine(line);
}

int calibrate_model(CommandLine& line, const CalibrateOptions&) {
    start_engine(line);
}

int measure_images(CommandLine& line, const MeasureOptions&) {
    start_engine(line);
}

int write_image_features(CommandLine& line, const FeaturesOptions&) {
    start_engine(line);
}

int serve(CommandLine& line, const ServerOptions&) {
    start_engine(line);
}

int show_methods(const CommandLine& line, const MethodsOptions&) {
    start_engine(line);
}

}  // namespace gass::cli
