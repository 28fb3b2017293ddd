// Many sentences on several threads: the one loop under every batch.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <coppice/error.hpp>
#include <coppice/stop.hpp>
#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
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
  // beside other threads, or beside what a worker keeps, is tried once more when they are done.
  // Stopped is an error of the call: thrown when no thread works any more.
  template <class Work, class Failed>
  void for_each(std::size_t count, const Work& work, const Failed& failed) {
    // A few sentences at a time, so that threads rarely meet and long sentences do not pile up.
    const std::size_t chunk =
        std::clamp<std::size_t>(count / (8 * static_cast<std::size_t>(threads_)), 1, 8);
    const std::size_t chunks = (count + chunk - 1) / chunk;
    Spans spans(count, std::min(static_cast<std::size_t>(threads_), chunks));
    std::atomic<bool> stopped = false;
    std::mutex mutex;
    std::vector<std::size_t> again;
    again.reserve(count);
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
        worker.reset();
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
      spans.take(chunk, [&](std::size_t i) { return try_one(worker, i, false); });
    };
    begin(chunks, work_on);
    try {
      work_on(own_worker_);
    } catch (...) {  // failed() did: the others must be done before what they work on goes
      wait();
      error_ = nullptr;
      throw;
    }
    if (!wait()) stopped = true;
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    if (!again.empty()) forget_workers();  // and their memory
    for (const std::size_t i : again)
      if (!stopped) try_one(own_worker_, i, true);
    if (stopped) throw Stopped();
  }

 private:
  // Every thread begins in a span of its own: what neighbours write to often lies in one page of
  // memory, which only one thread can be given at a time. Who is done helps the others.
  class Spans {
   public:
    Spans(std::size_t count, std::size_t spans) : spans_(spans) {
      for (std::size_t i = 0; i < spans; ++i) {
        spans_[i].next = count / spans * i + std::min(i, count % spans);
        if (i > 0) spans_[i - 1].end = spans_[i].next;
      }
      if (spans > 0) spans_.back().end = count;
    }

    // Calls visit(i) for what nobody else has taken, until there is nothing left or it is false.
    template <class Visit>
    void take(std::size_t chunk, const Visit& visit) {
      const std::size_t own = takers_++;
      for (std::size_t other = 0; other < spans_.size(); ++other) {
        Span& span = spans_[(own + other) % spans_.size()];
        for (std::size_t begin; (begin = span.next.fetch_add(chunk)) < span.end;)
          for (std::size_t i = begin; i < std::min(begin + chunk, span.end); ++i)
            if (!visit(i)) return;
      }
    }

   private:
    struct alignas(64) Span {
      std::atomic<std::size_t> next = 0;
      std::size_t end = 0;
    };
    std::vector<Span> spans_;
    std::atomic<std::size_t> takers_ = 0;
  };

  using Job = std::function<void(std::optional<Worker>&)>;
  struct Member {
    std::optional<Worker> worker;
    std::jthread thread;
  };

  // Hands the job to as many others as there are chunks of work.
  void begin(std::size_t chunks, const Job& job) {
    const std::lock_guard lock(mutex_);
    const std::size_t wanted = std::min(static_cast<std::size_t>(threads_), chunks);
    if (others_.size() + 1 < wanted) {
      // Memory that threads leave for the work itself; written to, lest it be optimised away.
      const std::unique_ptr<volatile char[]> room(
          new (std::nothrow) volatile char[std::size_t{64} << 20]);
      if (room) room[0] = 0;
      while (room && others_.size() + 1 < wanted && add_member()) {
      }
    }
    job_ = &job;
    called_ = working_ = wanted == 0 ? 0 : std::min(others_.size(), wanted - 1);
    ++jobs_;
    begun_.notify_all();
  }

  // False where there is no thread to be had, or no memory for it: fewer will do.
  bool add_member() {
    std::list<Member> added;
    try {
      Member& member = added.emplace_back();
      member.thread = std::jthread(
          [this, &member, place = others_.size() + 1, jobs = jobs_] { live(member, place, jobs); });
    } catch (const std::system_error&) {
      return false;
    } catch (const std::bad_alloc&) {
      return false;
    }
    others_.splice(others_.end(), added);
    return true;
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
      const std::exception_ptr error = thrown_by(job, member.worker);
      lock.lock();
      if (error) error_ = error;
      if (--working_ == 0) done_.notify_one();
    }
  }

  static std::exception_ptr thrown_by(const Job& job, std::optional<Worker>& worker) {
    try {
      job(worker);
      return nullptr;
    } catch (...) {  // failed() did
      return std::current_exception();
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
  std::size_t jobs_ = 0;      // begun so far
  std::size_t called_ = 0;    // so many others work on this one,
  std::size_t working_ = 0;   // so many still
  std::exception_ptr error_;  // of one of them
  std::list<Member> others_;
};

// The same for one batch.
template <class Worker, class Work, class Failed>
void for_each_sentence(std::size_t count, int threads, const Work& work, const Failed& failed) {
  Crew<Worker>(threads).for_each(count, work, failed);
}

}  // namespace coppice
