#pragma once

#include "core/json.h"
#include "io/model_lookup.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gass::cli {

/// Results go here. Whatever they say of files and prompts, no control character reaches the terminal. A
/// write that fails, on a full disk for instance, throws ErrorCode::io.
void write_stdout(std::string_view text);
/// A result for programs: the object with its "schema" in front, "gass.measure/1" for instance, which
/// docs/json.md describes.
void write_json(std::string_view schema, const Json& object);
/// What people read beside the results, made as safe.
void write_stderr(std::string_view text);

/// A table with aligned columns. Cells may come from files: they are made safe to print.
class Table {
  public:
    explicit Table(std::vector<std::string> header);
    void add(std::vector<std::string> row);
    std::string text() const;

  private:
    std::vector<std::vector<std::string>> rows_;
};

/// "46.9 MB"
std::string human_bytes(std::uint64_t bytes);
/// "23.5 M"
std::string human_count(std::uint64_t count);

/// A model's name and place, as every --json output shows it.
Json describe_location(const ModelLocation& location);

}  // namespace gass::cli
