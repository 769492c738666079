#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace gass::test {

/// Reads RFC 4180 the way the RFC says, to see what others will read.
inline std::vector<std::vector<std::string>> read_csv(const std::string& text) {
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> row(1);
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') {
            if (quoted && i + 1 < text.size() && text[i + 1] == '"') {
                row.back() += text[++i];
            } else {
                quoted = !quoted;
            }
        } else if (!quoted && text[i] == ',') {
            row.emplace_back();
        } else if (!quoted && text[i] == '\r') {
            ++i;  // and the line feed
            rows.push_back(std::move(row));
            row.assign(1, "");
        } else {
            row.back() += text[i];
        }
    }
    EXPECT_EQ(row, std::vector<std::string>(1)) << "the last line has no end";
    return rows;
}

}  // namespace gass::test
