// Work without the interpreter lock that Ctrl-C ends. Python handles signals in its main thread,
// and only when that thread asks; so the library asks now and then (coppice/stop.hpp), and what it
// was doing has ended when the call throws.
#pragma once

#include <nanobind/nanobind.h>

#include <coppice/stop.hpp>

namespace coppice::python {

// What work() returns; throws the error of a signal handler, KeyboardInterrupt as a rule. Call with
// the interpreter lock held; work must not call Python.
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
    return work();
  } catch (const Stopped&) {
    throw nanobind::python_error();
  }
}

}  // namespace coppice::python
