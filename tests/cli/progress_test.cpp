#include "progress.h"

#include "core/json.h"
#include "support/expect_error.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace gass::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

/// A clock that the test moves.
struct HandClock {
    double now = 100;
    Progress::Clock clock() {
        return [this] { return now; };
    }
};

/// Everything that `work` writes through a Progress to a file.
template <class Work>
std::string written(ProgressMode mode, std::string label, Work work) {
    const File file(std::tmpfile());
    HandClock time;
    {
        Progress progress(mode, std::move(label), file.get(), time.clock());
        work(progress, time);
    }
    std::rewind(file.get());
    std::string text(100'000, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    return text;
}

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) result.push_back(line);
    return result;
}

/// A terminal that remembers what is written on it.
class Terminal {
  public:
    explicit Terminal(int columns) : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
        ::grantpt(master_);
        ::unlockpt(master_);
        const winsize size{24, static_cast<unsigned short>(columns), 0, 0};
        ::ioctl(master_, TIOCSWINSZ, &size);
        const int slave = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
        termios settings{};
        ::tcgetattr(slave, &settings);
        ::cfmakeraw(&settings);
        ::tcsetattr(slave, TCSANOW, &settings);
        out_.reset(::fdopen(slave, "w"));
        ::setenv("TERM", "xterm", 1);
        ::unsetenv("NO_COLOR");
    }
    ~Terminal() { ::close(master_); }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    std::FILE* out() { return out_.get(); }
    /// What came since the last call.
    std::string text() {
        std::string result;
        ::fcntl(master_, F_SETFL, O_NONBLOCK);
        std::array<char, 4096> buffer{};
        for (ssize_t count = 0; (count = ::read(master_, buffer.data(), buffer.size())) > 0;)
            result.append(buffer.data(), static_cast<std::size_t>(count));
        return result;
    }

  private:
    int master_;
    File out_;
};

/// Columns that a line takes, without what is invisible.
std::size_t columns(std::string line) {
    for (const std::string& hidden : {std::string("\r"), std::string("\x1b[K")}) {
        while (line.find(hidden) != std::string::npos) line.erase(line.find(hidden), hidden.size());
    }
    std::size_t count = 0;
    for (const char c : line) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1U : 0U;
    return count;
}

/// Some containers have no pseudo-terminals.
class ProgressOnATerminal : public testing::Test {
  protected:
    void SetUp() override {
        const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
        const bool works = master >= 0 && ::grantpt(master) == 0 && ::unlockpt(master) == 0;
        const int slave = works ? ::open(::ptsname(master), O_RDWR | O_NOCTTY) : -1;
        if (slave >= 0) ::close(slave);
        if (master >= 0) ::close(master);
        if (slave < 0) GTEST_SKIP() << "there are no pseudo-terminals here";
    }
};

TEST(Progress, ModesHaveNames) {
    EXPECT_EQ(progress_mode("auto"), ProgressMode::automatic);
    EXPECT_EQ(progress_mode("none"), ProgressMode::none);
    test::expect_error(ErrorCode::usage, "auto, plain, json or none", [] { progress_mode("loud"); });
}

TEST(Progress, IsSilentWhereNobodyLooks) {
    const auto work = [](Progress& progress, HandClock&) {
        progress.start("denoise", 2);
        progress.advance(2);
        progress.finish();
    };
    EXPECT_EQ(written(ProgressMode::automatic, "a", work), "");
    EXPECT_EQ(written(ProgressMode::none, "a", work), "");
}

TEST(Progress, PlainSaysEveryTenth) {
    const std::string text =
        written(ProgressMode::plain, "mini-flow", [](Progress& progress, HandClock& time) {
            progress.start("denoise", 100);
            for (std::size_t i = 1; i <= 100; ++i) {
                time.now += 0.1;
                progress.advance(i);
            }
            progress.start("decode", 1);
            progress.advance(1);
            progress.finish();
        });
    EXPECT_EQ(lines(text).size(), 11U);
    EXPECT_EQ(lines(text).front(), "mini-flow: denoise 10 % (10/100), 1.0 s, ETA 9.0 s");
    EXPECT_EQ(lines(text).back(), "mini-flow: decode 100 % (1/1), 0.0 s");
}

TEST(Progress, JsonSaysEveryStep) {
    const std::string text =
        written(ProgressMode::json, "a \"b\" \xff", [](Progress& progress, HandClock& time) {
            progress.start("denoise", 28);
            time.now += 3.1;
            progress.advance(14);
            progress.finish();
        });
    ASSERT_EQ(lines(text).size(), 2U);
    EXPECT_EQ(parse_json(lines(text)[0], "")["eta_seconds"], nullptr);
    EXPECT_EQ(parse_json(lines(text)[1], ""), (Json{{"event", "progress"},
                                                    {"phase", "denoise"},
                                                    {"done", 14},
                                                    {"total", 28},
                                                    {"seconds", 3.1},
                                                    {"eta_seconds", 3.1},
                                                    {"label", "a \"b\" \uFFFD"}}));
}

TEST_F(ProgressOnATerminal, DrawsABarAndWipesIt) {
    Terminal terminal(80);
    HandClock time;
    Progress progress(ProgressMode::automatic, "", terminal.out(), time.clock());
    progress.start("denoise", 28);
    EXPECT_THAT(terminal.text(), HasSubstr("denoise  ░░"));
    time.now += 3.1;
    progress.advance(14);
    const std::string half = terminal.text();
    EXPECT_THAT(half, HasSubstr("████░░░░"));
    EXPECT_THAT(half, HasSubstr("14/28  3.1 s  ETA 3.1 s"));
    EXPECT_LT(columns(half), 80U);
    progress.finish();
    EXPECT_EQ(terminal.text(), "\r\x1b[K");
}

TEST_F(ProgressOnATerminal, RedrawsTenTimesASecondAtMost) {
    Terminal terminal(80);
    HandClock time;
    Progress progress(ProgressMode::automatic, "", terminal.out(), time.clock());
    progress.start("denoise", 1000);
    for (std::size_t i = 1; i <= 1000; ++i) {
        time.now += 0.001;
        progress.advance(i);
    }
    const std::string text = terminal.text();
    EXPECT_LE(std::count(text.begin(), text.end(), '\r'), 11);
}

TEST_F(ProgressOnATerminal, FitsAnyTerminal) {
    for (const int width : {1, 2, 10, 20, 30, 40, 60, 200}) {
        Terminal terminal(width);
        HandClock time;
        Progress progress(ProgressMode::automatic, "ein längerer Name", terminal.out(), time.clock());
        progress.start("denoise", 28);
        terminal.text();
        time.now += 1;
        progress.advance(14);
        EXPECT_LT(columns(terminal.text()), static_cast<std::size_t>(width)) << width;
    }
}

TEST_F(ProgressOnATerminal, DestroyedEarlyLeavesTheTerminalClean) {
    Terminal terminal(80);
    HandClock time;
    try {
        Progress progress(ProgressMode::automatic, "", terminal.out(), time.clock());
        progress.start("denoise", 28);
        throw std::runtime_error("interrupted");
    } catch (const std::runtime_error&) {
        EXPECT_THAT(terminal.text(), EndsWith("\r\x1b[K"));
    }
}

TEST_F(ProgressOnATerminal, DrawsNothingOnTerminalsThatCannotOrShallNot) {
    for (const auto& [name, value] : {std::pair{"TERM", "dumb"}, std::pair{"NO_COLOR", "1"}}) {
        Terminal terminal(80);
        ::setenv(name, value, 1);
        HandClock time;
        Progress progress(ProgressMode::automatic, "", terminal.out(), time.clock());
        progress.start("denoise", 2);
        progress.advance(2);
        progress.finish();
        EXPECT_EQ(terminal.text(), "denoise 100 % (2/2), 0.0 s\n");
    }
    ::unsetenv("NO_COLOR");
}

}  // namespace
}  // namespace gass::cli
