// coppice_options, read and checked: which trees, how many, and how long to wait for them.
#pragma once

#include <coppice/coppice.h>

#include <chrono>
#include <coppice/problem.hpp>
#include <coppice/stop.hpp>

namespace coppice::c {

// When a call is to end before it is done.
struct Patience {
  int (*stop)(void*) = nullptr;
  void* stop_data = nullptr;
  double seconds = 0.0;  // 0: any number

  // Calls it, and throws Stopped when it is time.
  template <class Work>
  void run(const Work& work) const {
    if (stop == nullptr && seconds == 0.0) return work();
    StopSource source;
    if (stop != nullptr)
      source.ask([question = stop, data = stop_data] { return question(data) != 0; });
    if (seconds > 0.0)
      source.stop_at(StopSource::Clock::now() +
                     std::chrono::duration_cast<StopSource::Clock::duration>(
                         std::chrono::duration<double>(seconds)));
    const StopScope scope(source);
    work();
  }
};

struct Call {
  Problem problem;
  Request request;
  Patience patience;
};

// Throws Error for what makes no sense; what the graph decides is left to the library.
Call read(const coppice_options* options);

}  // namespace coppice::c
