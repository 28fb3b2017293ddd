// Work without the interpreter lock that Ctrl-C ends. Python handles signals in its main thread,
// and only when that thread asks; so the library asks now and then (coppice/stop.hpp), and what it
// was doing has ended when the call throws.
#pragma once

#include <nanobind/nanobind.h>

#include <coppice/stop.hpp>
#include <type_traits>

namespace coppice::python {

// What work(source) returns; throws the error of a signal handler, KeyboardInterrupt as a rule.
// Call with the interpreter lock held. Work that requests a stop of the source by itself must catch
// Stopped.
template <class Work>
auto interruptible(const Work& work) {
  StopSource source;
  source.ask([] {
    nanobind::gil_scoped_acquire lock;
    return PyErr_CheckSignals() != 0;
  });
  try {
    nanobind::gil_scoped_release unlock;
    const StopScope scope(source);
    if constexpr (std::is_invocable_v<Work, StopSource&>)
      return work(source);
    else
      return work();
  } catch (const Stopped&) {
    throw nanobind::python_error();
  }
}

}  // namespace coppice::python
