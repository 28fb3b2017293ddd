// The program, for python/coppice.script.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <csignal>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "decode.hpp"

namespace coppice::python {

namespace nb = nanobind;

namespace {

int run(const std::vector<nb::bytes>& arguments) {
  std::vector<std::string> texts;
  for (const nb::bytes& argument : arguments) texts.emplace_back(argument.c_str());
  std::vector<char*> words;
  for (std::string& text : texts) words.push_back(text.data());
  words.push_back(nullptr);
  std::signal(SIGPIPE, SIG_DFL);  // which Python ignores; who reads no further is no error
  const nb::gil_scoped_release release;
  return cli::program(static_cast<int>(texts.size()), words.data());
}

}  // namespace

void bind_program(nb::module_& module) { module.def("program", &run, nb::arg("arguments")); }

}  // namespace coppice::python
