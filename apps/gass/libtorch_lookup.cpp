#include "libtorch_lookup.h"

#include "child_process.h"
#include "core/fail.h"
#include "core/quote.h"
#include "io/model_lookup.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace gass::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBuiltWith = GASS_LIBTORCH_LIBRARIES;  // a folder
constexpr std::string_view kVersion = GASS_LIBTORCH_VERSION;      // "2.13.0"

bool has_libtorch(const fs::path& libraries) {
    std::error_code error;
    return fs::exists(libraries / "libtorch_cpu.so", error);
}

/// "2.13" of "2.13.0": releases between which LibTorch keeps its binary interface.
std::string_view release(std::string_view version) {
    return version.substr(0, version.find('.', version.find('.') + 1));
}

/// "2.13", by the header that comes with a LibTorch; empty if it has none.
std::string release_of(const fs::path& libtorch) {
    std::ifstream header(libtorch / "include" / "torch" / "headeronly" / "version.h");
    std::string version;
    for (std::string line; std::getline(header, line);) {
        for (const std::string_view part : {"#define TORCH_VERSION_MAJOR ", "#define TORCH_VERSION_MINOR "}) {
            if (line.starts_with(part)) version += (version.empty() ? "" : ".") + line.substr(part.size());
        }
    }
    return version;
}

/// The torch of the python3 on the PATH; empty if there is none.
fs::path torch_of_python() {
    constexpr const char* kScript =
        "import importlib.util as u; s = u.find_spec('torch'); "
        "print(s.submodule_search_locations[0] if s else '', end='')";
    return output_of({"python3", "-c", kScript});
}

/// What stands against using a LibTorch that gass was not built with; empty if nothing does.
std::string objection(const fs::path& libtorch) {
    if (!has_libtorch(libtorch / "lib")) return "it has no lib/libtorch_cpu.so";
    const std::string found = release_of(libtorch);
    if (found != release(kVersion))
        return fmt::format("it is version {}", found.empty() ? "unknown" : in_quotes(found));
    return {};
}

/// GASS_TORCH as a folder; scripts/setup takes addresses and wheels in it, too, which mean nothing here.
fs::path folder_from_environment() {
    const char* value = std::getenv("GASS_TORCH");
    const std::string_view text = value == nullptr ? "" : value;
    if (text.find("://") != std::string_view::npos || text.ends_with(".whl")) return {};
    return text;
}

}  // namespace

fs::path find_libtorch() {
    if (const fs::path given = folder_from_environment(); !given.empty()) {
        if (const std::string wrong = objection(given); !wrong.empty()) {
            fail(ErrorCode::usage, "GASS_TORCH", "{} cannot be used: {}; gass was built with LibTorch {}",
                 in_quotes(given.string()), wrong, kVersion);
        }
        return fs::absolute(given) / "lib";
    }
    // These two stand in the engine's own search path.
    if (has_libtorch(program_folder().parent_path() / "lib" / "gass" / "torch" / "lib") ||
        has_libtorch(kBuiltWith))
        return {};
    const fs::path python = torch_of_python();
    const std::string wrong = python.empty() ? "python3 has no torch" : objection(python);
    if (wrong.empty()) return python / "lib";
    fail(ErrorCode::failure, "LibTorch",
         "gass computes with LibTorch {}, which is not here any more: it was in {}. Install it (python3 -m "
         "pip "
         "install torch=={}), or name the folder of one in GASS_TORCH{}",
         kVersion, in_quotes(kBuiltWith), kVersion,
         python.empty() ? "" : fmt::format(". {} cannot be used: {}", in_quotes(python.string()), wrong));
}

}  // namespace gass::cli
