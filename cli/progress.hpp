// A bar with rate and time left, for people who wait. Shown only on a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace coppice::cli {

class Progress {
 public:
  // On standard error, if that is a terminal; not where the output is on a terminal, too: then the
  // output says enough. already_done is not counted into the rate.
  explicit Progress(std::optional<std::int64_t> total, std::int64_t already_done = 0,
                    bool output_on_terminal = false);
  ~Progress();  // wipes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::int64_t done);

 private:
  using Clock = std::chrono::steady_clock;
  void draw(std::int64_t done, Clock::time_point now);

  std::optional<std::int64_t> total_;
  std::int64_t already_done_;
  Clock::time_point start_;
  Clock::time_point shown_;
  bool on_terminal_;
};

// What a bar says, in fewer than so many columns: less, where less fits.
std::string progress_line(std::int64_t done, std::optional<std::int64_t> total, double rate,
                          int columns);

// Before anything else is said or shown.
void wipe_bar();
bool bar_is_visible();  // also for signal handlers
inline constexpr std::string_view kWipeLine = "\r\x1b[K";

}  // namespace coppice::cli
