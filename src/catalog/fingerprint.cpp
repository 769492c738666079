#include "catalog/fingerprint.h"

#include "core/fail.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <string_view>

namespace gass {
namespace {

/// XXH3-128 over a sequence of fields. Each brings its length, so that no two sequences read the same.
class Hash {
  public:
    Hash() : state_(XXH3_createState()) {
        if (!state_) throw std::bad_alloc();
        XXH3_128bits_reset(state_.get());
    }

    void add(std::span<const std::byte> bytes) {
        add(bytes.size());
        XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
    }
    void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
    void add(std::uint64_t number) { XXH3_128bits_update(state_.get(), &number, sizeof(number)); }

    std::string hex() const {
        const XXH128_hash_t value = XXH3_128bits_digest(state_.get());
        return fmt::format("{:016x}{:016x}", value.high64, value.low64);
    }

  private:
    struct Free {
        void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
    };
    std::unique_ptr<XXH3_state_t, Free> state_;
};

/// The small files that decide what a component does, as far as it has them.
std::initializer_list<const char*> deciding_files(ComponentKind kind) {
    static constexpr std::initializer_list<const char*> kNetwork{"config.json"};
    static constexpr std::initializer_list<const char*> kScheduler{"scheduler_config.json"};
    static constexpr std::initializer_list<const char*> kProcessor{"preprocessor_config.json"};
    static constexpr std::initializer_list<const char*> kTokenizer{"tokenizer_config.json",
                                                                   "special_tokens_map.json",
                                                                   "added_tokens.json",
                                                                   "vocab.json",
                                                                   "vocab.txt",
                                                                   "merges.txt",
                                                                   "tokenizer.json",
                                                                   "spiece.model"};
    switch (kind) {
        case ComponentKind::network:
            return kNetwork;
        case ComponentKind::scheduler:
            return kScheduler;
        case ComponentKind::processor:
            return kProcessor;
        case ComponentKind::tokenizer:
            return kTokenizer;
    }
    return {};
}

void add_weights(Hash& hash, const Weights& weights) {
    // By name, so that it does not matter how they are spread over files.
    std::vector<const Weights::Entry*> entries;
    for (const Weights::Entry& entry : weights.entries()) entries.push_back(&entry);
    std::sort(entries.begin(), entries.end(),
              [](const auto* a, const auto* b) { return a->tensor->name < b->tensor->name; });
    hash.add(entries.size());
    for (const Weights::Entry* entry : entries) {
        hash.add(entry->tensor->name);
        hash.add(to_string(entry->tensor->dtype));
        hash.add(std::as_bytes(std::span(entry->tensor->shape)));
        hash.add(entry->file->bytes(*entry->tensor));
    }
}

void add_component(Hash& hash, const ModelComponent& component) {
    hash.add(component.name);
    hash.add(component.class_name);
    for (const char* name : deciding_files(component.kind)) {
        if (!component.folder.has(name)) continue;
        hash.add(name);
        hash.add(MappedFile(component.folder.file(name)).bytes());
    }
    if (component.weights) add_weights(hash, *component.weights);
}

}  // namespace

std::string fingerprint(const Model& model) {
    std::vector<const ModelComponent*> components;
    for (const ModelComponent& component : model.components) components.push_back(&component);
    std::sort(components.begin(), components.end(),
              [](const auto* a, const auto* b) { return a->name < b->name; });
    Hash hash;
    for (const ModelComponent* component : components) add_component(hash, *component);
    return hash.hex();
}

}  // namespace gass
