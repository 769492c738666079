#include "engine/output_folder.h"

#include "core/fail.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

namespace gass {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::error_code& error) {
    const bool asked_for_wrongly = error == std::errc::not_a_directory || error == std::errc::file_exists ||
                                   error == std::errc::filename_too_long ||
                                   error == std::errc::invalid_argument;
    fail(asked_for_wrongly ? ErrorCode::usage : ErrorCode::io, SettingKey("output"),
         "{} cannot be a folder: {}", path.string(), error.message());
}

/// The outermost folder on the way to `path` that does not exist yet.
fs::path first_missing(const fs::path& path) {
    fs::path missing;
    std::error_code error;
    for (fs::path part = fs::absolute(path).lexically_normal(); !part.empty() && !fs::exists(part, error);
         part = part.parent_path()) {
        missing = part;
        if (part == part.parent_path()) break;
    }
    return missing;
}

std::size_t next_number(const fs::path& parent) {
    std::size_t next = 1;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(parent, error)) {
        const std::string name = entry.path().filename().string();
        std::size_t number = 0;
        const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (wrong == std::errc() && number < 1'000'000'000) next = std::max(next, number + 1);
    }
    return next;
}

}  // namespace

OutputFolder::OutputFolder(const fs::path& path, double patience_seconds)
    : path_(path), outermost_made_(first_missing(path)) {
    std::error_code error;
    fs::create_directories(path, error);
    if (!error && !fs::is_directory(path, error)) error = std::make_error_code(std::errc::not_a_directory);
    if (!error && ::access(path.c_str(), W_OK | X_OK) != 0) error.assign(errno, std::generic_category());
    if (error) refuse(path, error);
    lock_ = FolderLock::take(path, patience_seconds);
    if (!lock_) {
        fail(ErrorCode::usage, SettingKey("output"),
             "another process is writing into {}; choose another folder, or wait", path.string());
    }
    settle_file_sets(path);
}

OutputFolder::OutputFolder(const fs::path& path) : OutputFolder(path, 0) {
}

OutputFolder OutputFolder::numbered(const fs::path& parent, std::string_view slug) {
    constexpr double kPatienceSeconds = 10;  // others have it as long as it takes to make a folder
    const OutputFolder around(parent, kPatienceSeconds);
    for (std::size_t number = next_number(parent);; ++number) {
        const fs::path path = parent / fmt::format("{:04}-{}", number, slug);
        std::error_code error;
        if (fs::create_directory(path, error)) {
            OutputFolder folder(path);
            folder.outermost_made_ =
                around.outermost_made_.empty() ? fs::absolute(path) : around.outermost_made_;
            return folder;
        }
        if (error) refuse(path, error);
    }
}

OutputFolder::~OutputFolder() {
    // Removing fails, as it should, for a folder that holds something.
    std::error_code error;
    fs::path part = fs::absolute(path_, error).lexically_normal();
    if (part.filename().empty()) part = part.parent_path();
    while (!outermost_made_.empty() && fs::remove(part, error) && part != outermost_made_)
        part = part.parent_path();
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : path_(std::move(other.path_)),
      outermost_made_(std::exchange(other.outermost_made_, {})),
      lock_(std::move(other.lock_)) {
}

std::string slug_of(std::string_view prompt) {
    constexpr std::size_t kLongest = 40;
    std::string slug;
    for (const char c : prompt) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (plain) {
            slug += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        } else if (!slug.empty() && slug.back() != '-') {
            slug += '-';
        }
        if (slug.size() == kLongest) break;
    }
    while (!slug.empty() && slug.back() == '-') slug.pop_back();
    return slug.empty() ? "group" : slug;
}

}  // namespace gass
