#pragma once

#include "io/mapping_guard.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gass {

/// A regular file mapped read-only: opening costs no reading, and pages that nobody looks at cost no memory.
/// The mapping lives as long as the object.
class MappedFile {
  public:
    /// Missing files throw model_not_found; folders, pipes and devices model_invalid, without waiting on
    /// them.
    explicit MappedFile(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::span<const std::byte> bytes() const { return {data_, size_}; }
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::unique_ptr<MappingName> name_;
};

/// A JSON or text file's content; larger than `max_bytes` is refused as model_invalid.
std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes = std::size_t{16} << 20U);

/// Whether this is the name of a file in some folder, and no way out of it.
bool is_file_name(std::string_view name);

/// A file that appears whole or not at all: written without a name, where the file system can, else under a
/// temporary one beside `path`; it gets its own by `commit()`, and goes away if that is never reached. What a
/// process leaves that is ended goes when the file is written again. Every failure, a full disk among them,
/// throws ErrorCode::io.
class AtomicFile {
  public:
    explicit AtomicFile(const std::filesystem::path& path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
    /// Puts everything on the disk and gives the file its name.
    void commit();

  private:
    [[noreturn]] void fail_with_errno(std::string_view doing);
    void flush();
    void take_temporary_name(std::string_view doing, const std::function<bool(const char*)>& take);
    void name_unnamed();

    std::filesystem::path path_;
    std::string temporary_;  // empty: the file has no name yet
    int descriptor_ = -1;
    std::string buffer_;
};

/// The whole of a file, which appears as AtomicFile's do.
void write_text_file(const std::filesystem::path& path, std::string_view text);

}  // namespace gass
