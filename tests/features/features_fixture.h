#pragma once

#include "io/image.h"
#include "tensor/tensor_file.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace gass::test {

/// What tools/reference/features_fixtures.py wrote.
inline std::filesystem::path features_fixture() {
    return std::filesystem::path(GASS_FIXTURES_DIR) / "features";
}

inline Image fixture_picture(const std::string& name) {
    return read_image(features_fixture() / "pictures" / (name + ".png")).image;
}

/// Every tensor of a file by its name.
inline std::map<std::string, at::Tensor> fixture_tensors(const std::filesystem::path& file) {
    const auto opened = std::make_shared<const SafetensorsFile>(features_fixture() / file);
    std::map<std::string, at::Tensor> tensors;
    for (const TensorInfo& info : opened->tensors())
        tensors[info.name] = load_tensor({opened, &info}).clone();
    return tensors;
}

/// The parts of "a/b/c".
inline std::vector<std::string> name_parts(const std::string& name) {
    std::vector<std::string> parts(1);
    for (const char c : name) {
        if (c == '/') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

}  // namespace gass::test
