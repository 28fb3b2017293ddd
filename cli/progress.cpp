#include "progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "graph/phrases.hpp"
#include "interrupt.hpp"

namespace coppice::cli {
namespace {

constexpr auto kBetween = std::chrono::milliseconds(100);
constexpr int kWidestBar = 24, kLeastColumnsWithBar = 16;

std::atomic<bool> visible = false;

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

bool can_draw() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

// They may change while we work.
int columns_of_terminal() {
  constexpr int kUsual = 80;
  struct winsize size = {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

}  // namespace

std::string progress_line(std::int64_t done, std::optional<std::int64_t> total, double rate,
                          int columns) {
  std::string bar, text;
  int room = columns - 1;  // what ends in the last column may wrap
  const auto add = [&](const std::string& part) {
    if (room < static_cast<int>(part.size())) {
      room = 0;  // what follows matters less
      return;
    }
    text += part;
    room -= static_cast<int>(part.size());
  };
  if (!total || *total == 0) {
    add(counted(done, "sentence"));
    if (rate > 0) add(fmt::format("  {:.0f}/s", rate));
    return text;
  }
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(*total));
  if (columns >= kLeastColumnsWithBar) {
    const int width = std::min(kWidestBar, columns / 3);
    for (int i = 0; i < width; ++i) bar += i < static_cast<int>(share * width) ? "█" : "░";
    bar += ' ';
    room -= width + 1;
  }
  add(fmt::format("{:3.0f} %", 100 * share));
  add(fmt::format("  {} of {}", done, *total));
  if (rate > 0) {
    add(fmt::format("  {} left", clock_text(static_cast<double>(*total - done) / rate)));
    add(fmt::format("  {:.0f}/s", rate));
  }
  return bar + text;
}

void wipe_bar() {
  if (!visible.exchange(false)) return;
  fmt::print(stderr, "{}", kWipeLine);
}

bool bar_is_visible() { return visible; }

Progress::Progress(std::optional<std::int64_t> total, std::int64_t already_done,
                   bool output_on_terminal)
    : total_(total),
      already_done_(already_done),
      start_(Clock::now()),
      on_terminal_(!output_on_terminal && can_draw()) {
  note_progress(already_done, total_);
  if (on_terminal_) draw(already_done, start_);
}

Progress::~Progress() { wipe_bar(); }

void Progress::update(std::int64_t done) {
  note_progress(done, total_);
  if (!on_terminal_) return;
  const auto now = Clock::now();
  if (now - shown_ >= kBetween) draw(done, now);
}

void Progress::draw(std::int64_t done, Clock::time_point now) {
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(done - already_done_) / seconds : 0.0;
  const std::string line = progress_line(done, total_, rate, columns_of_terminal());
  visible = true;
  fmt::print(stderr, "{}{}", kWipeLine, line);
}

}  // namespace coppice::cli
