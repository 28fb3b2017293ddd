// What the Python functions call: one graph, a stream, a batch.
#pragma once

#include <nanobind/nanobind.h>

#include <coppice/kbest.hpp>

namespace coppice::python {

// Adds classes and functions to the module; each lives in the file of that name.
void bind_options(nanobind::module_& module);  // options.cpp
void bind_single(nanobind::module_& module);   // single.cpp
void bind_batch(nanobind::module_& module);    // batch.cpp

// Whether decoding may take so long that somebody presses Ctrl-C meanwhile. The cost is at most
// about k times the number of edges.
bool may_take_long(double edges, const Options& options);

}  // namespace coppice::python
