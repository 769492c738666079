#pragma once

#include "io/model_folder.h"
#include "io/safetensors.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gass {

/// The weights of one network: one safetensors file, or the shards that an index names. Opening reads heads
/// only.
class Weights {
  public:
    struct Entry {
        std::shared_ptr<const SafetensorsFile> file;
        const TensorInfo* tensor = nullptr;
    };

    /// Opens what lies in a component's folder. With a variant ("fp16") its files are taken where they exist,
    /// the plain ones where not. Throws model_not_found if there are no safetensors weights, and says what is
    /// there instead.
    static Weights open(const ModelFolder& folder, std::string_view variant = {});

    /// Opens the shards that an index in the folder names; every tensor must be where the index says.
    static Weights open_index(const ModelFolder& folder, const std::string& index_name);

    /// Whether the files of the variant that was asked for were found.
    bool has_variant() const { return has_variant_; }
    const std::vector<std::shared_ptr<const SafetensorsFile>>& files() const { return files_; }
    /// Every tensor, file by file in the order of its bytes.
    const std::vector<Entry>& entries() const { return entries_; }
    /// The tensor of that name, or nullptr.
    const Entry* find(std::string_view name) const;
    std::uint64_t parameter_count() const;
    std::uint64_t byte_count() const;

  private:
    void add_file(const std::filesystem::path& path);

    std::vector<std::shared_ptr<const SafetensorsFile>> files_;
    std::vector<Entry> entries_;
    std::unordered_map<std::string_view, std::size_t> index_;  // the names lie in the files
    bool has_variant_ = false;
};

}  // namespace gass
