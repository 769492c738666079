#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

namespace gass::cli {

enum class ProgressMode { automatic, plain, json, none };
/// "auto", "plain", "json" or "none".
ProgressMode progress_mode(std::string_view name);

/// Says on stderr how far a command is. On a terminal a bar that is wiped when it has served, elsewhere
/// nothing, unless `plain` (a line for every tenth) or `json` (a line for every step) ask for it. Shows
/// nothing and breaks nothing where stderr cannot be written.
class Progress {
  public:
    /// Seconds from any start.
    using Clock = std::function<double()>;

    Progress(ProgressMode mode, std::string label);
    /// The same to a file of choice and by another clock.
    Progress(ProgressMode mode, std::string label, std::FILE* out, Clock clock);
    /// Leaves the terminal clean.
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Begins a part of the work that has `total` steps.
    void start(std::string_view phase, std::size_t total);
    /// `done` of the steps are behind us.
    void advance(std::size_t done);
    /// All parts are done; what is written next starts on a clean line.
    void finish();

  private:
    enum class Style { silent, bar, plain, json };
    static Style style(ProgressMode mode, std::FILE* out);

    void show();
    void draw_bar();
    void write_plain_line();
    void write_json_line();
    void write(std::string_view text);
    double seconds() const { return clock_() - phase_start_; }
    /// How long the rest takes at the speed so far; negative if nobody knows yet.
    double seconds_left() const;

    std::string label_;
    std::FILE* out_;
    Clock clock_;
    Style style_;
    std::string phase_;
    std::size_t total_ = 0;
    std::size_t done_ = 0;
    double phase_start_ = 0;
    double last_draw_ = 0;
    std::size_t tenths_shown_ = 0;
    bool bar_is_shown_ = false;
};

}  // namespace gass::cli
