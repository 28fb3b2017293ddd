// Is it time to stop? For every loop that may be long (coppice/stop.hpp).
//
// poll() costs a load and a branch where nobody asked to be able to stop. It belongs where at least
// some hundred nanoseconds and at most some milliseconds pass between two calls; what throws there
// must leave nothing behind.
#pragma once

#include <chrono>
#include <coppice/stop.hpp>

namespace coppice {

// Of this thread.
struct Polling {
  const StopScope* scope = nullptr;
  unsigned until_clock = 0;  // calls of poll() before it looks at the clock again
  StopSource::Clock::time_point next_question = {};
};
extern thread_local constinit Polling polling;

void poll_scope();  // throws Stopped

inline void poll() {
  if (polling.scope != nullptr) [[unlikely]]
    poll_scope();
}

// The same, and looks at everything at once: for those who wait.
void poll_now();

// On a thread that works for another one: its scopes count here, too.
class PollFor {
 public:
  explicit PollFor(const StopScope* scope) : before_(polling.scope) { polling.scope = scope; }
  PollFor(const PollFor&) = delete;
  PollFor& operator=(const PollFor&) = delete;
  ~PollFor() { polling.scope = before_; }

 private:
  const StopScope* before_;
};

}  // namespace coppice
