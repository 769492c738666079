#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gass::test {

struct Tag {
    std::string name;
    std::map<std::string, std::string> attributes;
};

/// The tags of a page of ours, which writes every value in double quotes.
inline std::vector<Tag> tags_in(std::string_view page) {
    std::vector<Tag> tags;
    for (std::size_t at = page.find('<'); at != std::string_view::npos; at = page.find('<', at)) {
        const std::size_t name_end = page.find_first_of(" >", at);
        Tag tag{std::string(page.substr(at + 1, name_end - at - 1)), {}};
        at = name_end;
        while (page[at] == ' ') {
            const std::size_t end = page.find_first_of("= >", at + 1);
            const std::string name(page.substr(at + 1, end - at - 1));
            at = end;
            if (page[at] != '=') continue;
            EXPECT_EQ(page[at + 1], '"') << name;
            const std::size_t close = page.find('"', at + 2);
            tag.attributes[name] = page.substr(at + 2, close - at - 2);
            at = close + 1;
        }
        tags.push_back(std::move(tag));
    }
    return tags;
}

inline std::size_t count(const std::vector<Tag>& tags, std::string_view name) {
    return static_cast<std::size_t>(
        std::count_if(tags.begin(), tags.end(), [&](const Tag& tag) { return tag.name == name; }));
}

/// A page without its pictures, whose base64 only slows searches down.
inline std::string without_pictures(const std::string& page) {
    std::string out;
    for (std::size_t at = 0; at < page.size();) {
        const std::size_t data = page.find(";base64,", at);
        out += page.substr(at, data - at);
        at = data == std::string::npos ? page.size() : page.find('"', data);
    }
    return out;
}

}  // namespace gass::test
