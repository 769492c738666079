#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gass::server {

/// Writes files into a .zip, as they are: pictures do not get smaller. Throws io.
void write_zip(const std::filesystem::path& zip, const std::vector<std::filesystem::path>& files,
               const std::string& folder);

}  // namespace gass::server
