#include "text/added_tokens.h"

#include "text/unicode.h"

#include <algorithm>

namespace gass {
namespace {

bool ends_with_word(std::string_view text) {
    return !text.empty() && is_word(last_code_point(text).value);
}

bool starts_with_word(std::string_view text) {
    return !text.empty() && is_word(first_code_point(text).value);
}

std::size_t without_space_at_end(std::string_view text) {
    while (!text.empty()) {
        const CodePoint c = last_code_point(text);
        if (!is_space(c.value)) break;
        text.remove_suffix(c.size);
    }
    return text.size();
}

std::size_t space_at_start(std::string_view text) {
    const std::size_t all = text.size();
    while (!text.empty()) {
        const CodePoint c = first_code_point(text);
        if (!is_space(c.value)) break;
        text.remove_prefix(c.size);
    }
    return all - text.size();
}

}  // namespace

AddedTokens::AddedTokens(const std::vector<AddedToken>& tokens, const IdOf& base_id, std::size_t base_size,
                         const Normalize& normalize) {
    auto next_id = static_cast<std::int32_t>(base_size);
    std::vector<std::int32_t> order;
    for (const AddedToken& token : tokens) {
        if (token.content.empty()) continue;
        std::optional<std::int32_t> id = id_of(token.content);
        if (!id) id = base_id(token.content);
        if (!id) {
            id = next_id;
            ++new_tokens_;
        }
        // An id of the model's own above its size pushes the later ones up.
        next_id = std::max(next_id, *id + 1);
        ids_.insert_or_assign(token.content, *id);
        if (tokens_.insert_or_assign(*id, token).second) order.push_back(*id);
    }
    for (const std::int32_t id : order) {
        const AddedToken& token = tokens_.at(id);
        if (token.normalized) {
            normalized_.insert(normalize(token.content), id);
        } else {
            as_given_.insert(token.content, id);
        }
    }
}

std::optional<std::int32_t> AddedTokens::id_of(std::string_view content) const {
    const auto it = ids_.find(std::string(content));
    return it == ids_.end() ? std::nullopt : std::optional(it->second);
}

const AddedToken* AddedTokens::find(std::int32_t id) const {
    const auto it = tokens_.find(id);
    return it == tokens_.end() ? nullptr : &it->second;
}

template <class OnText, class OnToken>
void AddedTokens::split(std::string_view text, const ByteTrie& trie, OnText&& on_text,
                        OnToken&& on_token) const {
    std::size_t done = 0;  // everything before has been handed on
    std::size_t at = 0;
    std::size_t space_end = 0;  // where the white space ends that an rstrip has walked over last
    while (at < text.size()) {
        std::size_t length = 0;
        std::int32_t id = -1;
        trie.prefixes(text.substr(at), [&](std::size_t found_length, std::int32_t found_id) {
            length = found_length;
            id = found_id;
        });
        if (length == 0) {
            ++at;
            continue;
        }
        std::size_t start = at;
        std::size_t stop = at + length;
        at = stop;
        const AddedToken& token = tokens_.at(id);
        if (token.single_word &&
            (ends_with_word(text.substr(0, start)) || starts_with_word(text.substr(stop)))) {
            continue;
        }
        if (token.lstrip) {
            start = done < start ? done + without_space_at_end(text.substr(done, start - done)) : done;
        }
        if (token.rstrip) {
            if (space_end < stop) space_end = stop + space_at_start(text.substr(stop));
            stop = space_end;
        }
        if (done < start) on_text(text.substr(done, start - done));
        on_token(id);
        done = stop;
    }
    if (done < text.size()) on_text(text.substr(done));
}

void AddedTokens::encode(std::string_view text, const Normalize& normalize, const EncodeText& encode_text,
                         std::vector<std::int32_t>& ids) const {
    const auto on_token = [&](std::int32_t id) { ids.push_back(id); };
    const auto on_normalized = [&](std::string_view part) { encode_text(part, ids); };
    const auto on_given = [&](std::string_view part) {
        split(normalize(part), normalized_, on_normalized, on_token);
    };
    split(text, as_given_, on_given, on_token);
}

}  // namespace gass
