// Long work that Ctrl-C can end. Python handles signals in its main thread, and only when that
// thread asks; whoever works there without the interpreter lock has to ask now and then.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace coppice::python {

// To be asked between two pieces of work: is it time to leave?
class Checkpoint {
 public:
  virtual ~Checkpoint() = default;
  virtual bool leave() = 0;
};

// Work for several threads. It holds no lock, calls no Python and throws nothing. Whatever it
// refers to belongs to it.
class Job {
 public:
  virtual ~Job() = default;
  // Called once on each thread: does pieces until none is left or it is time to leave.
  virtual void work(Checkpoint& checkpoint) noexcept = 0;

 private:
  friend class Crew;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable done_;
  int working_ = 0;
};

// Runs the job on that many threads. Call with the interpreter lock held; it is released
// meanwhile. Throws the error of a signal handler, KeyboardInterrupt as a rule.
//
// Where every piece is short, the calling thread works too, and pieces begun are done before it
// throws. With long pieces it only waits, and throws at once: what was begun comes to its end
// unheard, on threads that outlive the call.
void run(const std::shared_ptr<Job>& job, int threads, bool long_pieces);

}  // namespace coppice::python
