// Ending a call before it is done: by another thread, by a signal, at a deadline.
//
//   coppice::StopSource stop;
//   stop.stop_at(std::chrono::steady_clock::now() + std::chrono::seconds(2));
//   coppice::StopScope scope(stop);
//   try {
//     use(coppice::kbest(view, {.root = coppice::RootRule::any}, {.k = 1'000'000}));
//   } catch (const coppice::Stopped&) {
//     ...  // nothing goes on in the background, what the call had allocated is free
//   }
//
// While a scope is open, every call of the library on its thread, and on the threads that such a
// call starts, looks now and then whether it is to stop. Objects that a call was about to change (a
// TreeList, a Decoder, a TreeDistribution) are as good as before; a TreeStream that was stopped
// must not be asked again.
//
// Throws: scopes and sources throw nothing; calls that are stopped throw Stopped. It is no Error,
// so that who goes on after a bad sentence does not go on after this. Cost: a call looks at the
// flag at every step of its work and at the clock some fifty times a second; what a call takes to
// end is in docs/limits.md. Threads: request() and requested() are for all threads, the rest for
// that of the scope.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace coppice {

class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopped before it was done") {}
};

class StopSource {
 public:
  using Clock = std::chrono::steady_clock;

  StopSource() = default;
  StopSource(const StopSource&) = delete;
  StopSource& operator=(const StopSource&) = delete;

  // From any thread or signal handler.
  void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

  // Before a scope is opened: a deadline ...
  void stop_at(Clock::time_point deadline) { deadline_ = deadline; }
  // ... or a question, asked some fifty times a second on the thread of the scope, to which true
  // is a request; for those who learn of a signal only by asking. It must not throw.
  void ask(std::function<bool()> question) { question_ = std::move(question); }

 private:
  friend class StopScope;
  std::atomic<bool> requested_ = false;
  Clock::time_point deadline_ = Clock::time_point::max();
  std::function<bool()> question_;
};

// Scopes nest: all that are open count. To be closed on the thread that opened it, the last one
// first.
class StopScope {
 public:
  explicit StopScope(StopSource& source) noexcept;
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;
  ~StopScope();

 private:
  friend void poll_scope();
  friend void poll_now();
  // Whether a scope is to stop: as far as that is known without the clock ...
  bool requested() const noexcept;
  // ... and as of now.
  bool due(StopSource::Clock::time_point now) const;
  bool has_clock() const noexcept;

  StopSource& source_;
  const StopScope* outer_;
  std::thread::id thread_;
};

}  // namespace coppice
