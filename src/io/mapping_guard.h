#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace gass {

/// From now on the process ends with a message and the status of a damaged file, not by SIGBUS, if a mapped
/// file turns out to have become shorter, or its disk fails, while it is read. For programs; a library leaves
/// signals alone.
void guard_mappings();

/// A mapping whose file that message can name, as long as this lives.
class MappingName {
  public:
    MappingName(std::span<const std::byte> bytes, const std::string& path);
    ~MappingName();
    MappingName(const MappingName&) = delete;
    MappingName& operator=(const MappingName&) = delete;

  private:
    std::size_t slot_;
    std::string message_;
};

}  // namespace gass
