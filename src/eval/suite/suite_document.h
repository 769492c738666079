#pragma once

#include "core/json.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass::eval {

/// Of a suite and of a list of prompts.
inline constexpr std::size_t kMaxSuiteFile = std::size_t{64} << 20U;

/// A suite's JSON, merged onto that of the suite it extends, and so on. Nothing in it is null any more,
/// except in lists.
Json read_suite_document(const std::filesystem::path& file);

struct SuiteEntry;

/// An object of a suite's file. Whatever is wrong with it is model_invalid, with the file and the place in
/// it: "drawbench.json, methods.cads".
class SuiteObject : public JsonReader {
  public:
    /// All of the file.
    SuiteObject(const Json& value, const std::string& file);

    /// The object of that key.
    SuiteObject object(std::string_view key);
    /// {"id": {…}, …} in the file's order; none if the key is not there. Refused if there are more than
    /// `max_count`, or one has no proper id.
    std::vector<SuiteEntry> entries(std::string_view key, std::size_t max_count);
    /// Text that can be shown and written anywhere.
    std::string line(std::string_view key, const std::optional<std::string>& fallback = std::nullopt);
    /// Where a member stands, for errors.
    std::string place(std::string_view key) const;

  private:
    SuiteObject(const Json& value, const std::string& file, const std::string& path);
    std::string path_of(std::string_view key) const;

    std::string file_;
    std::string path_;  ///< in the file; empty for all of it
};

/// A part of a suite that others call by its id.
struct SuiteEntry {
    std::string id;
    SuiteObject object;
};

/// Ids are parts of file names and assertions.
void check_id(std::string_view id, std::string_view where);

}  // namespace gass::eval
