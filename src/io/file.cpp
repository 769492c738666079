#include "io/file.h"

#include "core/fail.h"

#include <fcntl.h>
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
        fail(ErrorCode::io, path.string(), "cannot map the file: {}", std::strerror(errno));
    }
    data_ = static_cast<const std::byte*>(address);
    size_ = opened.size;
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
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
    temporary_ = (folder / ("." + path.filename().string() + ".XXXXXX")).string();
    descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
    if (descriptor_ < 0) {
        const std::string reason = std::strerror(errno);
        temporary_.clear();
        fail(ErrorCode::io, path.string(), "cannot create a file in {}: {}", folder.string(), reason);
    }
    // mkostemp makes the file private; a result belongs to whom the umask says.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(descriptor_, 0666U & ~mask) != 0) fail_with_errno("set the permissions of");
}

AtomicFile::~AtomicFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
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

void AtomicFile::finish() {
    flush();
    // Some file systems report a full disk only here.
    if (::fsync(descriptor_) != 0) fail_with_errno("write");
    if (::close(std::exchange(descriptor_, -1)) != 0) fail_with_errno("write");
}

void AtomicFile::commit() {
    if (descriptor_ >= 0) finish();
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
