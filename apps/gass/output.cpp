#include "output.h"

#include "core/fail.h"
#include "core/quote.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace gass::cli {
namespace {

/// Columns a text takes on a terminal, one for each character.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string human(double value, std::string_view unit) {
    constexpr std::array<std::string_view, 5> kPrefixes{"", "k", "M", "G", "T"};
    std::size_t step = 0;
    while (value >= 999.5 && step + 1 < kPrefixes.size()) {
        value /= 1000;
        ++step;
    }
    const int digits = step == 0 || value >= 99.95 ? 0 : 1;
    std::string text = fmt::format("{:.{}f} {}{}", value, digits, kPrefixes[step], unit);
    if (text.back() == ' ') text.pop_back();
    return text;
}

}  // namespace

void write_stdout(std::string_view result) {
    const std::string text = printable(result);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        fail(ErrorCode::io, "stdout", "cannot write the result: {}", std::strerror(errno));
    }
}

void write_json(std::string_view schema, const Json& object) {
    Json json{{"schema", fmt::format("gass.{}", schema)}};
    json.update(object);
    write_stdout(shown(json));
}

void write_stderr(std::string_view remark) {
    const std::string text = printable(remark);
    std::fwrite(text.data(), 1, text.size(), stderr);
}

Table::Table(std::vector<std::string> header) {
    for (std::string& cell : header) {
        for (char& c : cell) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    add(std::move(header));
}

void Table::add(std::vector<std::string> row) {
    for (std::string& cell : row) cell = one_line(cell);
    rows_.push_back(std::move(row));
}

std::string Table::text() const {
    std::vector<std::size_t> widths(rows_.front().size(), 0);
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
    }
    std::string out;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i];
            if (i + 1 < row.size()) line.append(widths[i] - width(row[i]) + 2, ' ');
        }
        out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
}

std::string human_bytes(std::uint64_t bytes) {
    return human(static_cast<double>(bytes), "B");
}

std::string human_count(std::uint64_t count) {
    return human(static_cast<double>(count), "");
}

Json describe_location(const ModelLocation& location) {
    Json json = {
        {"name", location.name}, {"source", to_string(location.source)}, {"path", location.path.string()}};
    if (!location.revision.empty()) json["revision"] = location.revision;
    return json;
}

}  // namespace gass::cli
