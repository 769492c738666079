#include "eval/suite/suite.h"

#include <gass/error.h>

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAround =
    R"({"title": "t", "models": {"m": {"settings": {"model": "x"}}}, "methods": {"n": {"method": "none"}},
        "baseline": "n", "metrics": {"s": {"metric": "seconds"}}, "prompts": {"file": "prompts)";

/// A folder of this process, with a suite to extend.
struct Folder {
    Folder() : path(fs::temp_directory_path() / ("gass-fuzz-suite-" + std::to_string(::getpid()))) {
        fs::create_directories(path);
        write("base.json", std::string(kAround) + R"(.txt"}})");
        write("prompts.txt", "a dog\na cat\tcat\n");
    }
    ~Folder() { fs::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    fs::path write(const std::string& name, std::string_view content) const {
        std::ofstream(path / name, std::ios::binary)
            .write(content.data(), static_cast<std::streamsize>(content.size()));
        return path / name;
    }

    fs::path path;
};

/// Whatever was accepted must fit together.
void check(const gass::eval::Suite& suite) {
    if (suite.prompts.empty() || suite.models.empty() || suite.find_method(suite.baseline) == nullptr)
        std::abort();
    for (const auto& method : suite.methods) {
        if (method.methods.size() != suite.models.size()) std::abort();
    }
    for (const auto& table : suite.tables) {
        for (const std::string& id : table.metrics) {
            if (suite.find_metric(id) == nullptr) std::abort();
        }
    }
}

}  // namespace

// The first byte chooses what the rest is: a suite, or one of the lists of prompts.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::array<std::string_view, 4> kEndings{".txt", ".json", ".csv", ".tsv"};
    static const Folder folder;
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    try {
        if (data[0] % 8 < kEndings.size()) {
            const std::string ending(kEndings[data[0] % 8]);
            folder.write("prompts" + ending, text);
            const std::string pattern = (data[0] & 0x10U) != 0 ? R"(", "template": "A {label}.)" : "";
            check(gass::eval::read_suite(
                folder.write("suite.json", std::string(kAround) + ending + pattern + R"("}})"), {}));
        } else {
            check(gass::eval::read_suite(folder.write("suite.json", text), {}));
        }
    } catch (const gass::Error& error) {
        using gass::ErrorCode;
        // Missing files, what a user must give, and what is wrong.
        if (error.code() != ErrorCode::model_invalid && error.code() != ErrorCode::model_not_found &&
            error.code() != ErrorCode::usage)
            std::abort();
    }
    return 0;
}
