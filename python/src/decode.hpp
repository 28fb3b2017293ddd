// The parts of the extension module.
#pragma once

#include <nanobind/nanobind.h>

#include <coppice/which.hpp>

namespace coppice::python {

// Adds classes and functions to the module; each lives in the file of that name.
void bind_which(nanobind::module_& module);         // which.cpp
void bind_single(nanobind::module_& module);        // single.cpp
void bind_batch(nanobind::module_& module);         // batch.cpp
void bind_distribution(nanobind::module_& module);  // distribution.cpp
void bind_text(nanobind::module_& module);          // text.cpp

// Whether decoding may take so long that somebody presses Ctrl-C meanwhile. The cost is at most
// about k times the number of edges.
bool may_take_long(double edges, const HowMany& how_many);

}  // namespace coppice::python
