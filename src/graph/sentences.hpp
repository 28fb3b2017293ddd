// Many sentences on several threads: the one loop under every batch.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <coppice/error.hpp>
#include <coppice/stop.hpp>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "graph/poll.hpp"

namespace coppice {

// The threads of a batch, each with a Worker of its own, kept for the next batch.
template <class Worker>
class Crew {
 public:
  // The caller's thread is one of them. Throws Error where threads < 1.
  explicit Crew(int threads) : threads_(threads) {
    if (threads < 1)
      throw Error(ErrorCode::bad_argument,
                  "threads is " + std::to_string(threads) + ", must be at least 1");
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    {
      const std::lock_guard lock(mutex_);
      job_ = nullptr;
      ++jobs_;
    }
    begun_.notify_all();
  }

  // Calls work(worker, i) for every sentence 0 <= i < count. Where it throws, failed(i) is called
  // while the exception is handled, and the other sentences are not disturbed. What finds no memory
  // beside other threads is tried once more when they are done. Stopped is an error of the call:
  // thrown when no thread works any more.
  template <class Work, class Failed>
  void for_each(std::size_t count, const Work& work, const Failed& failed) {
    // A few sentences at a time, so that threads rarely meet and long sentences do not pile up.
    const std::size_t chunk =
        std::clamp<std::size_t>(count / (8 * static_cast<std::size_t>(threads_)), 1, 8);
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> stopped = false;
    std::mutex mutex;
    std::vector<std::size_t> again;
    if (threads_ > 1) again.reserve(count);
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
    const StopScope* scope = polling.scope;
    const Job work_on = [&](std::optional<Worker>& worker) {
      const PollFor caller(scope);
      for (std::size_t begin; (begin = next.fetch_add(chunk)) < count;)
        for (std::size_t i = begin; i < std::min(begin + chunk, count); ++i)
          if (!try_one(worker, i, threads_ == 1)) return;
    };
    begin((count + chunk - 1) / chunk, work_on);
    try {
      work_on(own_worker_);
    } catch (...) {  // failed() did: the others must be done before what they work on goes
      wait();
      throw;
    }
    if (!wait()) stopped = true;
    if (!again.empty()) forget_workers();  // and their memory
    for (const std::size_t i : again)
      if (!stopped) try_one(own_worker_, i, true);
    if (stopped) throw Stopped();
  }

 private:
  using Job = std::function<void(std::optional<Worker>&)>;
  struct Member {
    std::optional<Worker> worker;
    std::jthread thread;
  };

  // Hands the job to as many others as there are chunks of work.
  void begin(std::size_t chunks, const Job& job) {
    const std::lock_guard lock(mutex_);
    const std::size_t wanted = std::min(static_cast<std::size_t>(threads_), chunks);
    while (others_.size() + 1 < wanted) try {
        Member& member = others_.emplace_back();
        member.thread = std::jthread(
            [this, &member, place = others_.size(), jobs = jobs_] { live(member, place, jobs); });
      } catch (const std::system_error&) {  // fewer will do
        others_.pop_back();
        break;
      }
    job_ = &job;
    called_ = working_ = wanted == 0 ? 0 : std::min(others_.size(), wanted - 1);
    ++jobs_;
    begun_.notify_all();
  }

  // Of another: done jobs were there before it.
  void live(Member& member, std::size_t place, std::size_t done) {
    std::unique_lock lock(mutex_);
    for (;; done = jobs_) {
      begun_.wait(lock, [&] { return jobs_ != done; });
      if (job_ == nullptr) return;
      if (place > called_) continue;
      const Job& job = *job_;
      lock.unlock();
      job(member.worker);
      lock.lock();
      if (--working_ == 0) done_.notify_one();
    }
  }

  // Until the others are done. False: it is time to stop. Whoever waits must not miss that, since
  // it may be the only one who is asked.
  bool wait() {
    constexpr std::chrono::milliseconds kPatience{20};
    bool go_on = true;
    std::unique_lock lock(mutex_);
    while (!done_.wait_for(lock, kPatience, [&] { return working_ == 0; })) try {
        poll_now();
      } catch (const Stopped&) {
        go_on = false;
      }
    return go_on;
  }

  void forget_workers() {
    own_worker_.reset();
    for (Member& member : others_) member.worker.reset();
  }

  int threads_;
  std::optional<Worker> own_worker_;
  std::mutex mutex_;
  std::condition_variable begun_, done_;
  const Job* job_ = nullptr;
  std::size_t jobs_ = 0;     // begun so far
  std::size_t called_ = 0;   // so many others work on this one,
  std::size_t working_ = 0;  // so many still
  std::list<Member> others_;
};

// The same for one batch.
template <class Worker, class Work, class Failed>
void for_each_sentence(std::size_t count, int threads, const Work& work, const Failed& failed) {
  Crew<Worker>(threads).for_each(count, work, failed);
}

}  // namespace coppice
