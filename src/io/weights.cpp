#include "io/weights.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/wording.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <system_error>

namespace gass {
namespace {

namespace fs = std::filesystem;

// diffusers' name and transformers' name.
constexpr std::array<std::string_view, 2> kStems{"diffusion_pytorch_model", "model"};

struct WeightName {
    std::string file;
    bool is_index = false;
};

/// The names that weights may have, in the order they are looked for.
std::vector<WeightName> candidate_names(std::string_view variant) {
    std::vector<WeightName> names;
    for (const std::string_view stem : kStems) {
        if (variant.empty()) {
            names.push_back({fmt::format("{}.safetensors", stem)});
            names.push_back({fmt::format("{}.safetensors.index.json", stem), true});
        } else {
            names.push_back({fmt::format("{}.{}.safetensors", stem, variant)});
            // Both orders are in use: diffusers writes the first.
            names.push_back({fmt::format("{}.safetensors.index.{}.json", stem, variant), true});
            names.push_back({fmt::format("{}.{}.safetensors.index.json", stem, variant), true});
        }
    }
    return names;
}

std::optional<WeightName> find_weights(const ModelFolder& folder, std::string_view variant) {
    for (const WeightName& name : candidate_names(variant)) {
        if (folder.has(name.file)) return name;
    }
    return std::nullopt;
}

/// Says what the folder holds in place of the weights that were looked for.
[[noreturn]] void complain_of_missing_weights(const ModelFolder& folder) {
    std::set<std::string> variants;
    bool pickle = false;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder.root(), error)) {
        const std::string name = entry.path().filename().string();
        const std::string extension = entry.path().extension().string();
        pickle = pickle || extension == ".bin" || extension == ".pt" || extension == ".pth" ||
                 extension == ".ckpt";
        for (const std::string_view stem : kStems) {
            const std::string prefix = std::string(stem) + ".";
            if (name.starts_with(prefix) && extension == ".safetensors") {
                variants.insert(
                    name.substr(prefix.size(), name.find_first_of(".-", prefix.size()) - prefix.size()));
            }
        }
    }
    std::string hint = "expected diffusion_pytorch_model.safetensors or model.safetensors";
    if (!variants.empty()) {
        hint = fmt::format("only a variant of them is here: add `variant` {}", fmt::join(variants, " or "));
    } else if (pickle) {
        hint =
            "only pickle files (.bin, .pt, .ckpt) are here, which can run code when they are opened and are "
            "refused; "
            "convert them to safetensors";
    }
    fail(ErrorCode::model_not_found, folder.root().string(), "no weights: {}", hint);
}

}  // namespace

Weights Weights::open(const ModelFolder& folder, std::string_view variant) {
    std::optional<WeightName> name;
    if (!variant.empty()) name = find_weights(folder, variant);
    const bool has_variant = name.has_value();
    if (!name) name = find_weights(folder, {});
    if (!name) complain_of_missing_weights(folder);

    Weights weights;
    if (name->is_index) {
        weights = open_index(folder, name->file);
    } else {
        weights.add_file(folder.file(name->file));
    }
    weights.has_variant_ = has_variant;
    return weights;
}

void Weights::add_file(const fs::path& path) {
    auto file = std::make_shared<const SafetensorsFile>(path);
    for (const TensorInfo& tensor : file->tensors()) {
        if (!index_.emplace(tensor.name, entries_.size()).second) {
            fail(ErrorCode::model_invalid, path.string(), "the tensor {} is in another shard too",
                 in_quotes(tensor.name));
        }
        entries_.push_back({file, &tensor});
    }
    files_.push_back(std::move(file));
}

Weights Weights::open_index(const ModelFolder& folder, const std::string& index_name) {
    Weights weights;
    const std::string where = folder.shown(index_name);
    const Json index = folder.json(index_name);
    JsonReader reader(index, where);
    const Json& map = reader.at("weight_map");
    if (!map.is_object() || map.empty())
        fail(ErrorCode::model_invalid, where, "weight_map must list the tensors");

    std::map<std::string, std::vector<std::string>> tensors_of;  // by shard
    for (const auto& [tensor, shard] : map.items()) {
        if (!shard.is_string()) {
            fail(ErrorCode::model_invalid, where, "the shard of {} must be a file name", in_quotes(tensor));
        }
        const std::string& name = shard.get_ref<const std::string&>();
        if (name.empty() || name.find('/') != std::string::npos || name.starts_with('.')) {
            fail(ErrorCode::model_invalid, where, "the shard of {} must be a file beside the index, not {}",
                 in_quotes(tensor), in_quotes(name));
        }
        tensors_of[name].push_back(tensor);
    }
    for (const auto& [shard, tensors] : tensors_of) {
        if (!folder.has(shard)) {
            fail(ErrorCode::model_not_found, where, "the shard {} is missing; perhaps an incomplete download",
                 in_quotes(shard));
        }
        weights.add_file(folder.file(shard));
        const SafetensorsFile& file = *weights.files_.back();
        for (const std::string& tensor : tensors) {
            if (file.find(tensor) == nullptr) {
                fail(ErrorCode::model_invalid, where, "the tensor {} is not in {}", in_quotes(tensor),
                     in_quotes(shard));
            }
        }
        if (file.tensors().size() != tensors.size()) {
            fail(ErrorCode::model_invalid, where, "{} holds {}, the index names {} of them", in_quotes(shard),
                 counted(file.tensors().size(), "tensor"), tensors.size());
        }
    }
    return weights;
}

const Weights::Entry* Weights::find(std::string_view name) const {
    const auto it = index_.find(name);
    return it == index_.end() ? nullptr : &entries_[it->second];
}

std::uint64_t Weights::parameter_count() const {
    std::uint64_t count = 0;
    for (const Entry& entry : entries_) count += entry.tensor->element_count();
    return count;
}

std::uint64_t Weights::byte_count() const {
    std::uint64_t count = 0;
    for (const Entry& entry : entries_) count += entry.tensor->byte_count();
    return count;
}

}  // namespace gass
