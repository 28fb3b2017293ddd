#include "interrupt.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace coppice::python {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPatience{50};

class HelperCheckpoint : public Checkpoint {
 public:
  explicit HelperCheckpoint(const std::atomic<bool>& stop) : stop_(stop) {}
  bool leave() override { return stop_.load(std::memory_order_relaxed); }

 private:
  const std::atomic<bool>& stop_;
};

// True where a signal handler raised; the Python error is set.
bool signal_raised() {
  nb::gil_scoped_acquire lock;
  return PyErr_CheckSignals() != 0;
}

class CallerCheckpoint : public Checkpoint {
 public:
  explicit CallerCheckpoint(std::atomic<bool>& stop) : stop_(stop) {}
  bool leave() override {
    if (Clock::now() < next_) return stop_;
    next_ = Clock::now() + kPatience;
    if (!stop_ && signal_raised()) stop_ = raised_ = true;
    return stop_;
  }
  bool raised() const { return raised_; }

 private:
  std::atomic<bool>& stop_;
  Clock::time_point next_ = Clock::now() + kPatience;
  bool raised_ = false;
};

}  // namespace

// A job and the threads that work on it.
class Crew {
 public:
  explicit Crew(std::shared_ptr<Job> job) : job_(std::move(job)) {}
  Crew(Crew&&) = default;
  Crew& operator=(Crew&&) = default;
  ~Crew() {
    for (std::thread& thread : threads_) thread.join();
  }

  // As many as the system gives; true if that is at least one.
  bool hire(int threads) {
    for (int i = 0; i < threads; ++i) {
      std::lock_guard lock(job_->mutex_);
      try {
        threads_.emplace_back(&Crew::work, job_.get());
      } catch (const std::system_error&) {
        break;
      }
      ++job_->working_;
    }
    return !threads_.empty();
  }

  void stop() { job_->stop_ = true; }
  bool idle() const {
    std::lock_guard lock(job_->mutex_);
    return job_->working_ == 0;
  }
  bool wait_idle(std::chrono::milliseconds patience) {
    std::unique_lock lock(job_->mutex_);
    return job_->done_.wait_for(lock, patience, [&] { return job_->working_ == 0; });
  }

  // The calling thread works, too. True where a signal handler raised.
  bool join_in() {
    CallerCheckpoint checkpoint(job_->stop_);
    job_->work(checkpoint);
    bool raised = checkpoint.raised();
    while (!wait_idle(kPatience))
      if (!raised && signal_raised()) {
        stop();
        raised = true;
      }
    return raised;
  }

  // The calling thread waits. True where a signal handler raised; then some may still be working.
  bool watch() {
    while (!wait_idle(kPatience))
      if (signal_raised()) {
        stop();
        return true;
      }
    return false;
  }

 private:
  static void work(Job* job) {
    HelperCheckpoint checkpoint(job->stop_);
    job->work(checkpoint);
    std::lock_guard lock(job->mutex_);
    if (--job->working_ == 0) job->done_.notify_all();
  }

  std::shared_ptr<Job> job_;
  std::vector<std::thread> threads_;
};

namespace {

// Crews left to finish after a signal. Jobs hold Python objects, so they are let go with the
// interpreter lock held, at the next call that finds them idle; never when the program ends.
class Abandoned {
 public:
  static Abandoned& get() {
    static auto* abandoned = new Abandoned;
    return *abandoned;
  }
  void keep(Crew crew) {
    std::lock_guard lock(mutex_);
    crews_.push_back(std::move(crew));
  }
  void release_idle() {
    std::vector<Crew> idle;
    std::lock_guard lock(mutex_);
    auto split =
        std::partition(crews_.begin(), crews_.end(), [](const Crew& crew) { return !crew.idle(); });
    std::move(split, crews_.end(), std::back_inserter(idle));
    crews_.erase(split, crews_.end());
  }

 private:
  std::mutex mutex_;
  std::vector<Crew> crews_;
};

}  // namespace

void run(const std::shared_ptr<Job>& job, int threads, bool long_pieces) {
  Abandoned::get().release_idle();
  Crew crew(job);
  bool raised = false;
  {
    nb::gil_scoped_release unlock;
    bool hired = crew.hire(long_pieces ? threads : threads - 1);
    raised = long_pieces && hired ? crew.watch() : crew.join_in();
  }
  if (!raised) return;
  if (!crew.idle()) Abandoned::get().keep(std::move(crew));
  throw nb::python_error();
}

}  // namespace coppice::python
