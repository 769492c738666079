#pragma once

#include "server/app.h"

#include <filesystem>
#include <string>
#include <vector>

namespace gass::server {

/// The file of a completed job's image.
std::string image_bytes(const App& app, const Job& job, std::size_t index);

/// The same in another format, with its texts; as it is for "png".
std::string image_bytes_as(const App& app, const Job& job, std::size_t index, std::string_view format,
                           int quality);

std::size_t image_count(const Job& job);

/// Standard base64 of it.
std::string base64_of(std::string_view bytes);

}  // namespace gass::server
