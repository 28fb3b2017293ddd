// The extension module coppice._core. It is private: the package around it checks shapes and types
// and says what is wrong; here everything fits.
#include <nanobind/nanobind.h>

#include <coppice/version.hpp>

#include "decode.hpp"

NB_MODULE(_core, module) {
#ifdef NDEBUG
  // What a thread still holds when a program ends is no fault of this module.
  nanobind::set_leak_warnings(false);
#endif
  module.attr("version") = coppice::kVersion;
  coppice::python::bind_program(module);
  coppice::python::bind_rules(module);
  coppice::python::bind_which(module);
  coppice::python::bind_single(module);
  coppice::python::bind_batch(module);
  coppice::python::bind_confidence(module);
  coppice::python::bind_distribution(module);
  coppice::python::bind_text(module);
  coppice::python::bind_ties(module);
}
