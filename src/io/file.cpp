#include "io/file.h"

#include "core/fail.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace gass {
namespace {

namespace fs = std::filesystem;

/// Closes a descriptor at the end of a scope.
class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }

  private:
    int fd_;
};

std::string_view kind_of(mode_t mode) {
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

struct OpenedFile {
    int fd;
    std::size_t size;
};

/// Opens a regular file for reading. O_NONBLOCK: a pipe in the file's place must not make us wait for its
/// writer.
OpenedFile open_regular(const fs::path& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        const bool missing = errno == ENOENT || errno == ENOTDIR;
        fail(missing ? ErrorCode::model_not_found : ErrorCode::model_invalid, path.string(),
             "cannot open the file: {}", std::strerror(errno));
    }
    struct stat info {};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        ::close(fd);
        fail(ErrorCode::model_invalid, path.string(), "expected a regular file, found {}",
             kind_of(info.st_mode));
    }
    return {fd, static_cast<std::size_t>(info.st_size)};
}

}  // namespace

MappedFile::MappedFile(const fs::path& path) : path_(path) {
    const OpenedFile opened = open_regular(path);
    const Descriptor file(opened.fd);
    if (opened.size == 0) return;  // mmap refuses an empty range
    void* address = ::mmap(nullptr, opened.size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (address == MAP_FAILED) {  // NOLINT: the macro is an old-style cast
        fail(errno == ENOMEM ? ErrorCode::out_of_memory : ErrorCode::io, path.string(),
             "cannot map the file: {}", std::strerror(errno));
    }
    data_ = static_cast<const std::byte*>(address);
    size_ = opened.size;
    name_ = std::make_unique<MappingName>(bytes(), path.string());
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      name_(std::move(other.name_)) {
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(name_, other.name_);
    return *this;
}

std::string read_text_file(const fs::path& path, std::size_t max_bytes) {
    const OpenedFile opened = open_regular(path);
    const Descriptor file(opened.fd);
    if (opened.size > max_bytes) {
        fail(ErrorCode::model_invalid, path.string(),
             "the file has {} bytes; at most {} are read of such a file", opened.size, max_bytes);
    }
    std::string text(opened.size, '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t count = ::read(file.get(), text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail(ErrorCode::io, path.string(), "cannot read the file: {}", std::strerror(errno));
        if (count == 0) break;  // it shrank while we read: what is left is checked by its parser
        done += static_cast<std::size_t>(count);
    }
    text.resize(done);
    return text;
}

bool is_file_name(std::string_view name) {
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

AtomicFile::AtomicFile(const fs::path& path) : path_(path) {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    constexpr int kFlags = O_WRONLY | O_CLOEXEC;
    constexpr mode_t kMode = 0666;
    descriptor_ = ::open(folder.c_str(), O_TMPFILE | kFlags, kMode);
    if (descriptor_ < 0) {
        // Not every file system has files without names; what else is wrong shows with a name, too.
        take_temporary_name("create", [&](const char* name) {
            descriptor_ = ::open(name, O_CREAT | O_EXCL | kFlags, kMode);
            return descriptor_ >= 0;
        });
    }
    // Held as long as this process writes: whoever finds a temporary name without a lock may remove it.
    ::flock(descriptor_, LOCK_EX);
}

AtomicFile::~AtomicFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

/// Calls `take` with names beside the file's own until it has taken one. What a process left that was ended
/// gives way.
void AtomicFile::take_temporary_name(std::string_view doing, const std::function<bool(const char*)>& take) {
    for (int number = 0;;) {
        const std::string name =
            (path_.parent_path() / fmt::format(".{}.gass-{}", path_.filename().string(), number)).string();
        if (take(name.c_str())) {
            temporary_ = name;
            return;
        }
        if (errno != EEXIST) fail_with_errno(doing);
        const Descriptor other(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
        const bool is_left = other.get() >= 0 && ::flock(other.get(), LOCK_EX | LOCK_NB) == 0;
        if (!is_left || ::unlink(name.c_str()) != 0) ++number;
    }
}

/// A link can have a new name only, so that over an earlier file it needs a temporary one for a moment.
void AtomicFile::name_unnamed() {
    const std::string unnamed = "/proc/self/fd/" + std::to_string(descriptor_);
    const auto link_as = [&](const char* name) {
        return ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
    };
    if (link_as(path_.c_str())) return;
    if (errno != EEXIST) fail_with_errno("name");
    take_temporary_name("name", link_as);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
    constexpr std::size_t kBuffer = std::size_t{1} << 20U;
    buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (buffer_.size() >= kBuffer) flush();
}

void AtomicFile::flush() {
    std::string_view left = buffer_;
    while (!left.empty()) {
        const ssize_t count = ::write(descriptor_, left.data(), left.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail_with_errno("write");
        left.remove_prefix(static_cast<std::size_t>(count));
    }
    buffer_.clear();
}

void AtomicFile::commit() {
    flush();
    // Some file systems report a full disk only here.
    if (::fsync(descriptor_) != 0) fail_with_errno("write");
    if (temporary_.empty()) name_unnamed();
    if (::close(std::exchange(descriptor_, -1)) != 0) fail_with_errno("write");
    if (temporary_.empty()) return;
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_with_errno("name");
    temporary_.clear();
}

void AtomicFile::fail_with_errno(std::string_view doing) {
    fail(ErrorCode::io, path_.string(), "cannot {} the file: {}", doing, std::strerror(errno));
}

void write_text_file(const std::filesystem::path& path, std::string_view text) {
    AtomicFile file(path);
    file.write(text);
    file.commit();
}

}  // namespace gass
