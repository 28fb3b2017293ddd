// The extension module coppice._core. It is private: the package around it checks shapes and types
// and says what is wrong; here everything fits.
#include <nanobind/nanobind.h>

#include <coppice/version.hpp>
#include <exception>
#include <new>
#include <stdexcept>

#include "decode.hpp"

namespace {

// In the words of the program.
void say_out_of_memory(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError, "out of memory");
  } catch (const std::length_error&) {  // more than there could ever be
    PyErr_SetString(PyExc_MemoryError, "out of memory");
  }
}

}  // namespace

NB_MODULE(_core, module) {
#ifdef NDEBUG
  // What a thread still holds when a program ends is no fault of this module.
  nanobind::set_leak_warnings(false);
#endif
  nanobind::register_exception_translator(say_out_of_memory);
  module.attr("version") = coppice::kVersion;
  coppice::python::bind_program(module);
  coppice::python::bind_rules(module);
  coppice::python::bind_problem(module);
  coppice::python::bind_single(module);
  coppice::python::bind_batch(module);
  coppice::python::bind_confidence(module);
  coppice::python::bind_distribution(module);
  coppice::python::bind_text(module);
  coppice::python::bind_ties(module);
  coppice::python::bind_verify(module);
}
