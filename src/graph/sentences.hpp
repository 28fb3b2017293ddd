// Many sentences on several threads: the one loop under every batch.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <coppice/error.hpp>
#include <coppice/stop.hpp>
#include <cstddef>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "graph/poll.hpp"

namespace coppice {

// Calls work(worker, i) for every sentence 0 <= i < count, on up to so many threads, each with a
// Worker of its own. Where it throws, failed(i) is called while the exception is handled, and the
// other sentences are not disturbed. What finds no memory beside other threads is tried once more
// when they are gone. Stopped is an error of the call: thrown when no thread works any more. Throws
// Error where threads < 1.
template <class Worker, class Work, class Failed>
void for_each_sentence(std::size_t count, int threads, const Work& work, const Failed& failed) {
  if (threads < 1)
    throw Error(ErrorCode::bad_argument,
                "threads is " + std::to_string(threads) + ", must be at least 1");
  // A few sentences at a time, so that threads rarely meet and long sentences do not pile up.
  const std::size_t chunk =
      std::clamp<std::size_t>(count / (8 * static_cast<std::size_t>(threads)), 1, 8);
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stopped = false;
  std::mutex mutex;
  std::vector<std::size_t> again;
  if (threads > 1) again.reserve(count);
  // False: it is time to stop.
  const auto try_one = [&](std::optional<Worker>& worker, std::size_t i, bool alone) {
    try {
      poll();
      if (!worker) worker.emplace();
      work(*worker, i);
    } catch (const Stopped&) {
      stopped = true;
      return false;
    } catch (const std::bad_alloc&) {
      if (alone) {
        failed(i);
      } else {
        const std::lock_guard lock(mutex);
        again.push_back(i);
      }
    } catch (...) {
      failed(i);
    }
    return true;
  };
  const auto work_on = [&] {
    std::optional<Worker> worker;
    for (std::size_t begin; (begin = next.fetch_add(chunk)) < count;)
      for (std::size_t i = begin; i < std::min(begin + chunk, count); ++i)
        if (!try_one(worker, i, threads == 1)) return;
  };

  std::condition_variable done;
  std::size_t working = 0;
  std::vector<std::jthread> others;
  const std::size_t chunks = (count + chunk - 1) / chunk;
  const StopScope* scope = polling.scope;
  try {
    while (others.size() + 1 < std::min(static_cast<std::size_t>(threads), chunks)) {
      const std::lock_guard lock(mutex);
      others.emplace_back([&] {
        const PollFor caller(scope);
        work_on();
        const std::lock_guard ended(mutex);
        if (--working == 0) done.notify_one();
      });
      ++working;
    }
  } catch (const std::system_error&) {
    // Fewer will do.
  }
  work_on();
  // Whoever waits must not miss that it is time to stop: it may be the only one who is asked.
  constexpr std::chrono::milliseconds kPatience{20};
  std::unique_lock lock(mutex);
  while (!done.wait_for(lock, kPatience, [&] { return working == 0; })) try {
      poll_now();
    } catch (const Stopped&) {
      stopped = true;
    }
  lock.unlock();
  others.clear();
  std::optional<Worker> worker;
  for (const std::size_t i : again)
    if (!stopped) try_one(worker, i, true);
  if (stopped) throw Stopped();
}

}  // namespace coppice
