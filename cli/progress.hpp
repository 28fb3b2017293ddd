// A bar with rate and time left, for people who wait. Shown only on a terminal, and only once the
// work has taken a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace coppice::cli {

class Progress {
 public:
  // On standard error, if that is a terminal.
  explicit Progress(std::optional<std::int64_t> total);
  ~Progress();  // wipes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::int64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<std::int64_t> total_;
  Clock::time_point start_;
  Clock::time_point shown_;
  bool on_terminal_;
  bool visible_ = false;
};

}  // namespace coppice::cli
