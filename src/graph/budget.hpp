// What a search for legal trees may spend.
#pragma once

#include <algorithm>
#include <chrono>
#include <coppice/problem.hpp>
#include <cstdint>
#include <limits>

namespace coppice {

// Of the seconds of a request what the search has; the rest is for finding some tree where it found
// none.
inline constexpr double kTimeOfSearch = 0.8;

// So many seconds from now.
inline std::chrono::steady_clock::time_point deadline(double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr double kMost = 1e9;  // some thirty years
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(seconds, kMost)));
}

struct Budget {
  using Clock = std::chrono::steady_clock;

  Budget() = default;
  explicit Budget(const Request& request) {
    if (request.budget) solves = *request.budget;
    if (request.time_limit) until = deadline(kTimeOfSearch * *request.time_limit);
  }
  bool is_over() const {
    return solves <= 0 || (until != Clock::time_point::max() && Clock::now() >= until);
  }

  // How many solves there may be yet, and until when.
  std::int64_t solves = std::numeric_limits<std::int64_t>::max();
  Clock::time_point until = Clock::time_point::max();
  // Whether the search ran out of either. Then no legal tree that was not given has a better score
  // than this.
  bool spent = false;
  double score_ahead = 0.0;
};

}  // namespace coppice
