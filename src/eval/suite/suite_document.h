#pragma once

#include "core/json.h"

#include <cstddef>
#include <filesystem>

namespace gass::eval {

/// Of a suite and of a list of prompts.
inline constexpr std::size_t kMaxSuiteFile = std::size_t{64} << 20U;

/// A suite's JSON, merged onto that of the suite it extends, and so on. Nothing in it is null any more,
/// except in lists.
Json read_suite_document(const std::filesystem::path& file);

}  // namespace gass::eval
