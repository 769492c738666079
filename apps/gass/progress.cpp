#include "progress.h"

#include "core/fail.h"
#include "core/json.h"
#include "core/quote.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace gass::cli {
namespace {

constexpr double kSecondsBetweenDraws = 0.1;
constexpr const char* kWipeLine = "\r\x1b[K";

double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A terminal that can redraw a line, whose user has nothing against that.
bool takes_a_bar(std::FILE* out) {
    const char* term = std::getenv("TERM");
    const char* no_color = std::getenv("NO_COLOR");
    return ::isatty(::fileno(out)) != 0 && term != nullptr && std::string_view(term) != "dumb" &&
           (no_color == nullptr || *no_color == '\0');
}

std::size_t terminal_columns(std::FILE* out) {
    winsize size{};
    if (::ioctl(::fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col;
}

/// "3.1 s", "2 min 05 s", "1 h 02 min"
std::string human_seconds(double seconds) {
    if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
    const auto whole = std::llround(seconds);
    if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string bar(std::size_t width, double share) {
    const auto full = static_cast<std::size_t>(std::lround(share * static_cast<double>(width)));
    std::string text;
    for (std::size_t i = 0; i < width; ++i) text += i < full ? "█" : "░";
    return text;
}

double to_milliseconds(double seconds) {
    return std::round(seconds * 1000) / 1000;
}

}  // namespace

ProgressMode progress_mode(std::string_view name) {
    if (name == "auto") return ProgressMode::automatic;
    if (name == "plain") return ProgressMode::plain;
    if (name == "json") return ProgressMode::json;
    if (name == "none") return ProgressMode::none;
    fail(ErrorCode::usage, "--progress", "expected auto, plain, json or none, got {}", in_quotes(name));
}

Progress::Progress(ProgressMode mode, std::string label)
    : Progress(mode, std::move(label), stderr, steady_seconds) {
}

Progress::Progress(ProgressMode mode, std::string label, std::FILE* out, Clock clock)
    : label_(std::move(label)), out_(out), clock_(std::move(clock)), style_(style(mode, out)) {
}

Progress::~Progress() {
    if (bar_is_shown_) write(kWipeLine);
}

Progress::Style Progress::style(ProgressMode mode, std::FILE* out) {
    switch (mode) {
        case ProgressMode::automatic:
            if (takes_a_bar(out)) return Style::bar;
            return ::isatty(::fileno(out)) != 0 ? Style::plain : Style::silent;
        case ProgressMode::plain:
            return Style::plain;
        case ProgressMode::json:
            return Style::json;
        case ProgressMode::none:
            return Style::silent;
    }
    return Style::silent;
}

void Progress::start(std::string_view phase, std::size_t total) {
    phase_ = phase;
    total_ = total;
    done_ = 0;
    tenths_shown_ = 0;
    phase_start_ = clock_();
    show();
}

void Progress::advance(std::size_t done) {
    done_ = std::min(done, total_);
    show();
}

void Progress::finish() {
    if (bar_is_shown_) write(kWipeLine);
    bar_is_shown_ = false;
}

void Progress::show() {
    switch (style_) {
        case Style::silent:
            return;
        case Style::bar:
            return draw_bar();
        case Style::plain:
            return write_plain_line();
        case Style::json:
            return write_json_line();
    }
}

void Progress::draw_bar() {
    const double now = clock_();
    if (bar_is_shown_ && now - last_draw_ < kSecondsBetweenDraws) return;
    last_draw_ = now;
    const std::string name = label_.empty() ? phase_ : fmt::format("{}  {}", one_line(label_), phase_);
    std::string numbers = fmt::format("{}/{}  {}", done_, total_, human_seconds(seconds()));
    if (seconds_left() >= 0) numbers += fmt::format("  ETA {}", human_seconds(seconds_left()));

    // The last column stays free: some terminals begin a new line once it is written. A label has one column
    // for each byte at most, so that this errs on the safe side.
    const std::size_t room = terminal_columns(out_) - 1;
    constexpr std::size_t kSpaces = 4;
    constexpr std::size_t kShortestBar = 5;
    constexpr std::size_t kLongestBar = 40;
    std::string line;
    if (const std::size_t text = name.size() + numbers.size() + kSpaces; text + kShortestBar <= room) {
        const double share = total_ > 0 ? static_cast<double>(done_) / static_cast<double>(total_) : 0.0;
        line = fmt::format("{}  {}  {}", name, bar(std::min(room - text, kLongestBar), share), numbers);
    } else {
        line = fmt::format("{} {}/{}", phase_, done_, total_);
        line = line.substr(0, room);
    }
    write("\r" + line + "\x1b[K");
    bar_is_shown_ = true;
}

void Progress::write_plain_line() {
    const std::size_t tenths = total_ > 0 ? done_ * 10 / total_ : 0;
    if (tenths <= tenths_shown_) return;
    tenths_shown_ = tenths;
    std::string line = label_.empty() ? "" : one_line(label_) + ": ";
    line += fmt::format("{} {} % ({}/{}), {}", phase_, done_ * 100 / total_, done_, total_,
                        human_seconds(seconds()));
    if (done_ < total_) line += fmt::format(", ETA {}", human_seconds(seconds_left()));
    write(line + "\n");
}

void Progress::write_json_line() {
    Json line{{"event", "progress"},
              {"phase", phase_},
              {"done", done_},
              {"total", total_},
              {"seconds", to_milliseconds(seconds())},
              {"eta_seconds", nullptr},
              {"label", label_}};
    if (seconds_left() >= 0) line["eta_seconds"] = to_milliseconds(seconds_left());
    write(line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

void Progress::write(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), out_);
    std::fflush(out_);
}

double Progress::seconds_left() const {
    if (done_ == 0) return -1;
    return seconds() / static_cast<double>(done_) * static_cast<double>(total_ - done_);
}

}  // namespace gass::cli
