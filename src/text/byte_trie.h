#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gass {

/// A set of strings with a number each, for finding those that a text starts with.
class ByteTrie {
  public:
    /// A string that is there already keeps its number.
    void insert(std::string_view key, std::int32_t value) {
        std::uint32_t node = 0;
        for (const char byte : key) {
            const auto fresh = static_cast<std::uint32_t>(values_.size());
            const auto [it, added] = edges_.try_emplace(edge(node, byte), fresh);
            if (added) values_.push_back(-1);
            node = it->second;
        }
        if (node != 0 && values_[node] < 0) values_[node] = value;
    }

    /// Calls `found(length, value)` for each string that `text` starts with, shortest first.
    template <class Found>
    void prefixes(std::string_view text, Found&& found) const {
        std::uint32_t node = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto next = edges_.find(edge(node, text[i]));
            if (next == edges_.end()) return;
            node = next->second;
            if (values_[node] >= 0) found(i + 1, values_[node]);
        }
    }

  private:
    static std::uint64_t edge(std::uint32_t node, char byte) {
        return (std::uint64_t{node} << 8U) | static_cast<unsigned char>(byte);
    }

    std::unordered_map<std::uint64_t, std::uint32_t> edges_;
    std::vector<std::int32_t> values_{-1};
};

}  // namespace gass
