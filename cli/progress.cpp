#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace coppice::cli {
namespace {

constexpr auto kQuiet = std::chrono::seconds(1);
constexpr auto kBetween = std::chrono::milliseconds(100);
constexpr int kBarWidth = 24;

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress(std::optional<std::int64_t> total)
    : total_(total),
      start_(Clock::now()),
      shown_(start_),
      on_terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (visible_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::update(std::int64_t done) {
  const auto now = Clock::now();
  if (!on_terminal_ || now - start_ < kQuiet || now - shown_ < kBetween) return;
  shown_ = now;
  visible_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done) / seconds;
  if (!total_ || *total_ == 0) {
    fmt::print(stderr, "\r\x1b[K{} sentences  {:.0f}/s", done, rate);
    return;
  }
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(*total_));
  const int filled = static_cast<int>(share * kBarWidth);
  std::string bar;
  for (int i = 0; i < kBarWidth; ++i) bar += i < filled ? "█" : "░";
  const double left = rate > 0 ? static_cast<double>(*total_ - done) / rate : 0;
  fmt::print(stderr, "\r\x1b[K{} {:3.0f} %  {} of {}  {:.0f}/s  {} left", bar, 100 * share, done,
             *total_, rate, clock_text(left));
  std::fflush(stderr);
}

}  // namespace coppice::cli
