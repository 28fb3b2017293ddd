// Work that several threads share.
#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace coppice {

// Calls work() on this thread and on threads - 1 others, or on as many as the system gives; returns
// when all are done. work must take its share from what is left to do, and may throw on no thread.
template <class Work>
void run_on_threads(std::size_t threads, const Work& work) {
  std::vector<std::jthread> others;
  try {
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  } catch (const std::system_error&) {
    // Fewer will do.
  }
  work();
}

}  // namespace coppice
