// The extension module coppice._core. It is private: the package around it checks shapes and types
// and says what is wrong; here everything fits.
#include <nanobind/nanobind.h>

#include "decode.hpp"

NB_MODULE(_core, module) {
  nanobind::set_leak_warnings(false);  // calls ended by Ctrl-C may still own objects at the end
  coppice::python::bind_which(module);
  coppice::python::bind_single(module);
  coppice::python::bind_batch(module);
  coppice::python::bind_distribution(module);
  coppice::python::bind_text(module);
}
