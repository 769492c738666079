#pragma once

#include "core/json.h"
#include "io/file.h"
#include "tensor/tensor_file.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace gass::test {

/// What a script in tools/reference wrote: cases.json, and the tensors it names.
struct ReferenceCases {
    Json cases;
    std::map<std::string, at::Tensor> tensors;

    explicit ReferenceCases(const std::string& fixture) {
        const std::filesystem::path folder = std::filesystem::path(GASS_FIXTURES_DIR) / fixture;
        cases = parse_json(read_text_file(folder / "cases.json"), "cases.json");
        const auto file = std::make_shared<const SafetensorsFile>(folder / "tensors.safetensors");
        for (const TensorInfo& tensor : file->tensors())
            tensors[tensor.name] = load_tensor({file, &tensor}).clone();
    }
};

}  // namespace gass::test
