// Processor time and medians, for all programs that measure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <vector>

namespace coppice::bench {

// Processor time of this thread that the work takes.
template <class Work>
double seconds_of(const Work& work) {
  auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

inline double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace coppice::bench
