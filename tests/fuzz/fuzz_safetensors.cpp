#include "io/safetensors.h"

#include <gass/error.h>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto file = std::as_bytes(std::span(data, size));
    try {
        const gass::SafetensorsHeader header = gass::parse_safetensors_header(file, "fuzz");
        for (const gass::TensorInfo& tensor : header.tensors) {
            // Whatever was accepted must lie in the file.
            if (header.data_offset + tensor.end > size) std::abort();
            gass::count_non_finite(tensor.dtype,
                                   file.subspan(header.data_offset + tensor.begin, tensor.byte_count()));
        }
    } catch (const gass::Error& error) {
        if (error.code() != gass::ErrorCode::model_invalid) std::abort();
    }
    return 0;
}
