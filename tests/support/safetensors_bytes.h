#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace gass::test {

/// A safetensors file with this header text and this much data, right or wrong.
inline std::string safetensors_bytes(std::string_view header, std::string_view data = {}) {
    std::string file(sizeof(std::uint64_t), '\0');
    const std::uint64_t length = header.size();
    std::memcpy(file.data(), &length, sizeof(length));
    file += header;
    file += data;
    return file;
}

}  // namespace gass::test
