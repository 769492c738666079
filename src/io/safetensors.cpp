#include "io/safetensors.h"

#include "core/fail.h"
#include "core/json.h"
#include "core/quote.h"

#include <algorithm>
#include <utility>

namespace gass {

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path)
    : file_(path), header_(parse_safetensors_header(file_.bytes(), path.string())) {
    index_.reserve(header_.tensors.size());
    for (std::size_t i = 0; i < header_.tensors.size(); ++i) index_.emplace(header_.tensors[i].name, i);
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const {
    const auto it = index_.find(name);
    return it == index_.end() ? nullptr : &header_.tensors[it->second];
}

std::span<const std::byte> SafetensorsFile::bytes(const TensorInfo& tensor) const {
    return file_.bytes().subspan(header_.data_offset + tensor.begin, tensor.byte_count());
}

void write_safetensors(const std::filesystem::path& path, std::vector<TensorToWrite> tensors,
                       const SafetensorsMetadata& metadata) {
    // Widest elements first, as the reference implementation does: every tensor is then aligned to its
    // elements.
    std::sort(tensors.begin(), tensors.end(), [](const TensorToWrite& a, const TensorToWrite& b) {
        return std::pair(a.dtype, std::string_view(a.name)) < std::pair(b.dtype, std::string_view(b.name));
    });
    nlohmann::ordered_json header = Json::object();
    if (!metadata.empty()) header["__metadata__"] = metadata;
    std::uint64_t offset = 0;
    for (const TensorToWrite& tensor : tensors) {
        std::uint64_t bytes = byte_size(tensor.dtype);
        for (const std::int64_t size : tensor.shape) bytes *= static_cast<std::uint64_t>(size);
        if (bytes != tensor.bytes.size()) {
            fail(ErrorCode::usage, path.string(), "tensor {} of shape [{}] needs {} bytes, {} were given",
                 in_quotes(tensor.name), fmt::join(tensor.shape, ", "), bytes, tensor.bytes.size());
        }
        if (header.contains(tensor.name) || tensor.name == "__metadata__") {
            fail(ErrorCode::usage, path.string(), "the tensor name {} cannot be used twice",
                 in_quotes(tensor.name));
        }
        header[tensor.name] = {{"dtype", to_string(tensor.dtype)},
                               {"shape", tensor.shape},
                               {"data_offsets", {offset, offset + bytes}}};
        offset += bytes;
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');  // the data begins at a multiple of 8
    const std::uint64_t length = text.size();

    AtomicFile file(path);
    file.write(std::as_bytes(std::span(&length, 1)));
    file.write(text);
    for (const TensorToWrite& tensor : tensors) file.write(tensor.bytes);
    file.commit();
}

}  // namespace gass
