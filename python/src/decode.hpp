// The parts of the extension module.
#pragma once

#include <nanobind/nanobind.h>

namespace coppice::python {

// Adds classes and functions to the module; each lives in the file of that name.
void bind_problem(nanobind::module_& module);       // problem.cpp
void bind_single(nanobind::module_& module);        // single.cpp
void bind_batch(nanobind::module_& module);         // batch.cpp
void bind_distribution(nanobind::module_& module);  // distribution.cpp
void bind_confidence(nanobind::module_& module);    // confidence.cpp
void bind_rules(nanobind::module_& module);         // rules.cpp
void bind_program(nanobind::module_& module);       // program.cpp
void bind_ties(nanobind::module_& module);          // ties.cpp
void bind_text(nanobind::module_& module);          // text.cpp
void bind_verify(nanobind::module_& module);        // verify.cpp

}  // namespace coppice::python
