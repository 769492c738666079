#include "child_process.h"

#include "core/fail.h"
#include "core/stopwatch.h"
#include "io/file.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace gass::cli {
namespace {

constexpr std::array kStopSignals{SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t running_group = 0;  // of the child, 0 if there is none
volatile std::sig_atomic_t stop_asked = 0;

/// A measured program keeps nothing worth saving, so it need not be asked.
void stop_child(int /*signal*/) {
    stop_asked = 1;
    if (running_group != 0) ::kill(-running_group, SIGKILL);
}

sigset_t stop_signals() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : kStopSignals) ::sigaddset(&set, signal);
    return set;
}

/// While it lives, signals that ask to stop end the child.
class StopsReachTheChild {
  public:
    StopsReachTheChild() {
        struct sigaction action {};
        action.sa_handler = stop_child;
        for (std::size_t i = 0; i < kStopSignals.size(); ++i)
            ::sigaction(kStopSignals[i], &action, &before_[i]);
    }
    ~StopsReachTheChild() {
        running_group = 0;
        for (std::size_t i = 0; i < kStopSignals.size(); ++i)
            ::sigaction(kStopSignals[i], &before_[i], nullptr);
    }
    StopsReachTheChild(const StopsReachTheChild&) = delete;
    StopsReachTheChild& operator=(const StopsReachTheChild&) = delete;

  private:
    std::array<struct sigaction, kStopSignals.size()> before_{};
};

/// Where a child's streams go, and how it starts.
class SpawnSettings {
  public:
    SpawnSettings(const std::filesystem::path& output, const std::filesystem::path& errors,
                  const sigset_t& mask) {
        ::posix_spawn_file_actions_init(&files_);
        ::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
        ::posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, output.c_str(), kWrite, 0600);
        ::posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, errors.c_str(), kWrite, 0600);
        ::posix_spawnattr_init(&attributes_);
        // A group of its own, so that what it starts can be ended with it.
        ::posix_spawnattr_setflags(&attributes_,
                                   POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        ::posix_spawnattr_setsigmask(&attributes_, &mask);
        sigset_t ignored;  // by us: start_up.h
        ::sigemptyset(&ignored);
        ::sigaddset(&ignored, SIGXFSZ);
        ::posix_spawnattr_setsigdefault(&attributes_, &ignored);
    }
    ~SpawnSettings() {
        ::posix_spawn_file_actions_destroy(&files_);
        ::posix_spawnattr_destroy(&attributes_);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;

    const posix_spawn_file_actions_t* files() const { return &files_; }
    const posix_spawnattr_t* attributes() const { return &attributes_; }

  private:
    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t attributes_{};
};

/// As C has them.
std::vector<char*> argument_list(std::vector<std::string>& command) {
    std::vector<char*> arguments;
    for (std::string& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    return arguments;
}

void start(std::vector<std::string>& command, const std::filesystem::path& output,
           const std::filesystem::path& errors) {
    const std::vector<char*> arguments = argument_list(command);
    // A signal that comes before the child is known waits until it is.
    const sigset_t blocked = stop_signals();
    sigset_t before;
    ::sigprocmask(SIG_BLOCK, &blocked, &before);
    pid_t child = 0;
    int error = ECANCELED;
    if (stop_asked == 0) {
        const SpawnSettings settings(output, errors, before);
        error = ::posix_spawn(&child, command.front().c_str(), settings.files(), settings.attributes(),
                              arguments.data(), environ);
        if (error == 0) running_group = child;
    }
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (error != 0 && stop_asked == 0) {
        fail(ErrorCode::failure, command.front(), "cannot be started: {}", std::strerror(error));
    }
}

}  // namespace

ChildResult run_child(std::vector<std::string> command, const std::filesystem::path& folder) {
    const std::filesystem::path output = folder / "stdout";
    const std::filesystem::path errors = folder / "stderr";
    const Stopwatch watch;
    int status = 0;
    rusage usage{};
    {
        const StopsReachTheChild guard;
        start(command, output, errors);
        while (running_group != 0 && ::wait4(running_group, &status, 0, &usage) < 0 && errno == EINTR) {
        }
    }
    const double seconds = watch.seconds();
    if (stop_asked != 0) fail(ErrorCode::interrupted, "bench", "stopped");
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), seconds,
            static_cast<std::uint64_t>(usage.ru_maxrss) * 1024, read_text_file(output),
            read_text_file(errors)};
}

std::string output_of(std::vector<std::string> command) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return {};
    posix_spawn_file_actions_t files{};
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, pipe[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int error = ::posix_spawnp(&child, command.front().c_str(), &files, nullptr,
                                     argument_list(command).data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    ::close(pipe[1]);
    std::string output;
    std::array<char, 4096> part{};
    for (ssize_t count = 1; count > 0 || (count < 0 && errno == EINTR);) {
        count = ::read(pipe[0], part.data(), part.size());
        if (count > 0) output.append(part.data(), static_cast<std::size_t>(count));
    }
    ::close(pipe[0]);
    while (error == 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return output;
}

}  // namespace gass::cli
