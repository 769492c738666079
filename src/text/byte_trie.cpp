#include "text/byte_trie.h"

namespace gass {

void ByteTrie::insert(std::string_view key, std::int32_t value) {
    std::uint32_t node = 0;
    for (const char byte : key) {
        const auto fresh = static_cast<std::uint32_t>(values_.size());
        const auto [it, added] = edges_.try_emplace(edge(node, byte), fresh);
        if (added) values_.push_back(-1);
        node = it->second;
    }
    if (node != 0 && values_[node] < 0) values_[node] = value;
}

}  // namespace gass
